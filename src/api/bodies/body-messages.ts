import type { ErrorCode, Problem } from '../../errors.ts';
import type { ReadDocument } from '../../resource/documents/read-documents.ts';

/** A body to be read in the thread. */
export interface BodyJob {
  readonly bytes: Uint8Array;
  readonly isJson: boolean;
  /** `values`: as they are written; `documents`: parsed and validated. */
  readonly as: 'values' | 'documents';
}

/** Some of what is in a body, or why it can't be read. */
export type BodyBatch = (BodyPart | { readonly refused: BodyRefusal }) & {
  /** Milliseconds of work in the thread. */
  readonly took: number;
};

/** Documents are a list in JSON, which is cheaper to hand over than objects. */
export type BodyPart = { readonly last: boolean } & ({ readonly json: string } | { readonly values: readonly ReadDocument[] });

export interface BodyRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly hint: string | undefined;
}
