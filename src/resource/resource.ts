import type { Key } from './key.ts';
import type { Labels } from './labels.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [field: string]: JsonValue | undefined;
}

export const ENVIRONMENTS = ['kubernetes', 'universal'] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

/** Whether resources lie in namespaces there. */
const NAMESPACES: Readonly<Record<Environment, boolean>> = { kubernetes: true, universal: false };

export function usesNamespaces(environment: Environment): boolean {
  return NAMESPACES[environment];
}

/** Where a control plane stands: fixed at its first start (docs/design/resources.md#place). */
export interface Place {
  /** '' for global. */
  readonly zone: string;
  readonly environment: Environment;
  /** '' where there are no namespaces. */
  readonly systemNamespace: string;
}

/** Global: no zone, no namespaces. */
export const GLOBAL: Place = { zone: '', environment: 'universal', systemNamespace: '' };

/** A resource as one control plane holds it. */
export interface Resource {
  /** Who it is: the same in every store. */
  readonly key: Key;
  /**
   * What it is called in this store, without the namespace: the display name at its origin, the assigned name
   * elsewhere.
   */
  readonly name: string;
  /** The namespace that it lies in here: '' on universal and on global. */
  readonly namespace: string;
  /** All labels, the computed ones included. */
  readonly labels: Labels;
  /**
   * The body as it reads in this store: at its origin as the user wrote it, elsewhere with the names that references
   * have here.
   */
  readonly spec: JsonObject;
  readonly status?: JsonObject | undefined;
  /** RFC 3339, UTC. */
  readonly creationTime: string;
  readonly modificationTime: string;
}

/** A document as a user wrote it, before anything was computed: what the parsers make of either YAML format. */
export interface Draft {
  readonly type: string;
  /** '' for global-scoped kinds. */
  readonly mesh: string;
  readonly name: string;
  /** undefined: not said. */
  readonly namespace: string | undefined;
  readonly labels: Labels;
  readonly spec: JsonObject;
  readonly status?: JsonObject | undefined;
}
