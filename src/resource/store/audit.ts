/** Who did what, for an operator: never what was in it. */
export interface AuditRecord {
  /** RFC 3339, UTC. */
  readonly time: string;
  /** The name of who asked; '' for somebody unknown. */
  readonly principal: string;
  /** '' for somebody unknown. */
  readonly role: string;
  /** Where the request came from. */
  readonly address: string;
  /** What was asked for: `apply`, `put`, `delete`, or the id of an operation (src/api/openapi). */
  readonly operation: string;
  /** The parts of what it was about, as far as they are known; else ''. */
  readonly type: string;
  readonly mesh: string;
  readonly name: string;
  readonly kri: string;
  readonly outcome: AuditOutcome;
  /** Of the commit; null where nothing of a resource changed. */
  readonly revision: number | null;
  /** Why it was refused (src/errors.ts); '' where it was not. */
  readonly code: string;
}

export const AUDIT_OUTCOMES = ['created', 'changed', 'unchanged', 'deleted', 'done', 'refused'] as const;

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** A record with its number: later ones have greater numbers. */
export interface AuditEntry extends AuditRecord {
  readonly id: number;
}

/** A filter for the records. Every given part must hold. */
export interface AuditFilter {
  readonly principal?: string | undefined;
  readonly operation?: string | undefined;
  readonly outcome?: string | undefined;
  readonly type?: string | undefined;
  readonly mesh?: string | undefined;
  readonly name?: string | undefined;
  readonly kri?: string | undefined;
}

export interface AuditReader {
  /**
   * The newest first, `before` an id (undefined: from the newest), `size` of them at most; `total` counts all that the
   * filter lets through.
   */
  list(filter: AuditFilter, before: number | undefined, size: number): { readonly items: readonly AuditEntry[]; readonly total: number };
}
