/**
 * The proxy of a Dataplane: its mesh, and its name in this zone's REST API (`<name>.<namespace>` where there are
 * namespaces).
 */
export interface ProxyId {
  readonly mesh: string;
  readonly name: string;
}

/** As it is written in `node.id` of an Envoy's bootstrap: `default.backend-1`. A mesh has no dots. */
export function nodeId({ mesh, name }: ProxyId): string {
  return `${mesh}.${name}`;
}

/** undefined: it is not one. */
export function parseNodeId(text: string): ProxyId | undefined {
  const dot = text.indexOf('.');
  if (dot < 1 || dot === text.length - 1) return undefined;
  return { mesh: text.slice(0, dot), name: text.slice(dot + 1) };
}
