import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The one entry that a new kind takes, as somebody would write it into src/resource/kinds.ts. */
const ENTRY = "policy('MeshColour', 'mcol', 'meshcolours', 'to from rules'),";

/** It stands before this one. */
const NEXT = "kind('MeshTrust',";

/**
 * Whatever is imported behind this file knows the kind MeshColour: its entry is put into the registry as that is
 * loaded, and nothing else is changed.
 */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/src/resource/kinds.ts')) return loaded;
    const source = readFileSync(fileURLToPath(url), 'utf8');
    if (source.split(NEXT).length !== 2) throw new Error(`src/resource/kinds.ts has this not once: ${NEXT}`);
    return { ...loaded, source: source.replace(NEXT, `${ENTRY}\n  ${NEXT}`) };
  },
});
