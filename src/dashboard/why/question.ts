/** Who asks whom for what, as the address has it and the form shows it. */
export interface VerdictQuestion {
  readonly from: string;
  readonly mesh: string;
  readonly to: string;
  readonly port: string;
  readonly method: string;
  readonly path: string;
}

const EMPTY: VerdictQuestion = { from: '', mesh: 'default', to: '', port: '', method: 'GET', path: '/' };

/** The question of an address; what is not said is as in an empty form. */
export function readQuestion(query: Readonly<Record<string, string>>): VerdictQuestion {
  const { from, mesh, to, port, method, path } = { ...EMPTY, ...query };
  return { from, mesh, to, port, method, path };
}

/** The body of `POST /can`. A caller with several URI SANs is written with spaces between them. */
export function toBody({ from, mesh, to, port, method, path }: VerdictQuestion): object {
  return {
    from: { spiffeIds: from.split(/\s+/).filter((san) => san !== '') },
    to: { mesh, dataplane: to, ...(port === '' ? {} : { port: /^\d+$/.test(port) ? Number(port) : port }) },
    ...(method === '' ? {} : { method }),
    ...(path === '' ? {} : { path }),
  };
}
