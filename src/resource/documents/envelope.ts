import type { Problem } from '../../errors.ts';
import type { Kind } from '../kinds.ts';
import type { Labels } from '../labels.ts';
import { formatPath, isObject, type Path } from '../field-path.ts';
import type { JsonObject } from '../resource.ts';

/**
 * What a control plane adds to a document when it shows it, and kumactl sends back or works out itself (`snis`): never
 * read.
 */
export const SHOWN_ONLY = ['kri', 'creationTime', 'modificationTime', 'snis'] as const;

/** The kinds whose status is part of what users and zones write. */
const WITH_STATUS: readonly string[] = ['MeshService', 'MeshExternalService', 'MeshMultiZoneService'];

/** Reads the fields that both formats have, and collects all that is wrong with them. One per document. */
export class Envelope {
  readonly fields: JsonObject;
  readonly kind: Kind;

  readonly problems: Problem[] = [];

  constructor(fields: JsonObject, kind: Kind) {
    this.fields = fields;
    this.kind = kind;
  }

  report(path: Path, reason: string): void {
    this.problems.push({ field: formatPath(path), reason });
  }

  /** A text, or undefined when it is absent or empty. */
  text(value: unknown, path: Path): string | undefined {
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string') return value;
    this.report(path, 'must be a string');
    return undefined;
  }

  /** An object; absent and null are an empty one. */
  object(value: unknown, path: Path): JsonObject {
    if (value === undefined || value === null) return {};
    if (isObject(value)) return value;
    this.report(path, 'must be an object');
    return {};
  }

  /** Labels: a value that is not a string is reported and left out. */
  labels(value: unknown, path: Path): Labels {
    const entries = Object.entries(this.object(value, path)).filter(([key, text]) => {
      if (typeof text !== 'string') this.report([...path, key], 'must be a string: put it in quotes');
      return typeof text === 'string';
    });
    // The filter above left strings alone.
    return Object.fromEntries(entries) as Labels;
  }

  /** Reports every field of `value` that is not in `known`. */
  refuseOthers(value: JsonObject, known: readonly string[], path: Path): void {
    for (const field of Object.keys(value)) if (!known.includes(field)) this.report([...path, field], 'is not a known field');
  }

  status(): { status: JsonObject } | undefined {
    const { status } = this.fields;
    if (!WITH_STATUS.includes(this.kind.type) || status === undefined || status === null) return undefined;
    return { status: this.object(status, ['status']) };
  }
}
