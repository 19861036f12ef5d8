import { get } from './api.ts';

/** Whose page this is: global's, or a zone's. */
export interface ControlPlaneMode {
  readonly isGlobal: boolean;
  /** '' at global. */
  readonly zone: string;
}

let known: Promise<ControlPlaneMode> | undefined;

/** Asked once: it never changes while a control plane runs. */
export function loadMode(): Promise<ControlPlaneMode> {
  known ??= load().catch((thrown: unknown) => {
    known = undefined;
    throw thrown;
  });
  return known;
}

async function load(): Promise<ControlPlaneMode> {
  const { mode, multizone } = await get<{ mode: 'global' | 'zone'; multizone?: { zone: { name: string } } }>('/config');
  return { isGlobal: mode === 'global', zone: multizone?.zone.name ?? '' };
}
