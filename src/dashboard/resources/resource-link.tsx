import { link } from '../location.ts';

/** The name of a resource, which leads to its page: its address is who it is, whatever it is called here. */
export function ResourceLink({ kri, name }: { kri: string; name: string }) {
  return kri === '' ? <>{name}</> : <a href={link(['resource', kri])}>{name}</a>;
}
