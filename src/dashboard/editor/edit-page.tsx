import { stringify } from 'yaml';
import { getTagged, post, put } from '../api.ts';
import { link } from '../location.ts';
import { loadMode } from '../mode.ts';
import { Problem } from '../problem.tsx';
import { kindNamed, type ServedKind, urlOf } from '../resources/kinds.ts';
import { displayName, zoneOf } from '../resources/kri.ts';
import { useLoaded } from '../use-loaded.ts';
import { Editor } from './editor.tsx';
import { lockOf } from './lock.ts';
import type { TrialAnswer } from './trial.tsx';

interface EditedResource {
  readonly kri: string;
  readonly type: string;
  readonly mesh?: string;
  readonly name: string;
}

/** Changes a resource that was made here. */
export function EditPage({ kri, role }: { kri: string; role: string }) {
  const { value, problem } = useLoaded(`edit ${kri}`, () => loadEdited(kri));
  if (!value) return <Problem text={problem} />;
  const { kind, here, url, text, tag } = value;
  const foreign = zoneOf(kri) === here.zone ? '' : `It is of ${zoneOf(kri) || 'global'}: edit it there.`;
  return (
    <>
      <p class="hint">
        <a href={link(['resource', kri])}>
          {kind.name} {displayName(kri)}
        </a>
      </p>
      <h1>Edit {displayName(kri)}</h1>
      <Problem text={problem} />
      <Editor
        id={kri}
        kri={kri}
        current={{ text, tag }}
        locked={foreign || lockOf(role, here, kind)}
        apply={async (draft) => {
          await put(url, draft.text, draft.tag);
          return link(['resource', kri]);
        }}
      />
    </>
  );
}

async function loadEdited(kri: string) {
  const { value, tag } = await getTagged<EditedResource>(`/_kri/${encodeURIComponent(kri)}`);
  const [kind, here] = await Promise.all([kindNamed(value.type), loadMode()]);
  return { kind, here, tag, url: urlOf(kind, value.mesh ?? '', value.name), text: documentOf(value) };
}

/** What `apply` takes again: what the control plane says of a resource by itself is no part of it. */
function documentOf(resource: EditedResource): string {
  const { kri, creationTime: _, modificationTime: __, status: ___, ...document } = resource as EditedResource & Record<string, unknown>;
  return stringify({ ...document, name: displayName(kri) });
}

/** Makes new resources: one of a type, or whatever the text has. */
export function NewPage({ type, role }: { type: string; role: string }) {
  const { value, problem } = useLoaded(`new ${type}`, async () => ({
    here: await loadMode(),
    kind: type === '' ? undefined : await kindNamed(type),
  }));
  if (!value) return <Problem text={problem} />;
  return (
    <>
      <p class="hint">
        <a href={link(['kinds'])}>Resources</a>
      </p>
      <h1>New {type || 'resources'} from YAML</h1>
      <Editor
        id={`new ${type}`}
        kri=""
        current={{ text: beginningOf(value.kind), tag: '' }}
        locked={lockOf(role, value.here, value.kind)}
        apply={async ({ text }) => {
          const { results } = await post<TrialAnswer>('/apply', text);
          const [only, ...more] = results;
          return only && more.length === 0 ? link(['resource', only.kri]) : link(['kinds']);
        }}
      />
    </>
  );
}

function beginningOf(kind: ServedKind | undefined): string {
  if (!kind) return '';
  return `type: ${kind.name}\n${kind.scope === 'Mesh' ? 'mesh: default\n' : ''}name: \n`;
}
