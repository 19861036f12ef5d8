/** The labels that mean something to Meridian (docs/design/resources.md#labels). */
export const LABEL = {
  mesh: 'kuma.io/mesh',
  origin: 'kuma.io/origin',
  zone: 'kuma.io/zone',
  env: 'kuma.io/env',
  displayName: 'kuma.io/display-name',
  namespace: 'k8s.kuma.io/namespace',
  role: 'kuma.io/policy-role',
  effect: 'kuma.io/effect',
  sync: 'kuma.io/kds-sync',
} as const;

export type Labels = Readonly<Record<string, string>>;

/** The labels that a control plane computes: a user may only repeat them. */
export const COMPUTED_LABELS: readonly string[] = [
  LABEL.mesh,
  LABEL.origin,
  LABEL.zone,
  LABEL.env,
  LABEL.displayName,
  LABEL.namespace,
  LABEL.role,
];

/** The labels without those that a control plane computes: what the user wrote. */
export function userLabels(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !COMPUTED_LABELS.includes(name)));
}
