/** A fault that somebody could make in the protocol's code, and how soon the simulator must find it. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Stands once in the file. */
  readonly from: string;
  readonly to: string;
  /** It is found within so many seeds. About three times what it took when it was written. */
  readonly within: number;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a cursor is not compared with the own log',
    file: 'src/kds/serve-pulls.ts',
    from: "  if (then.digest === cursor.digest && then.count === cursor.count) return 'agrees';",
    to: "  return 'agrees';",
    within: 700,
  },
  {
    name: 'the epoch that signed a cursor proves nothing',
    file: 'src/kds/serve-pulls.ts',
    from: "  return epoch !== '' && provesRestore(store, epoch, cursor.revision);",
    to: "  return epoch === '-' && provesRestore(store, epoch, cursor.revision);",
    within: 500,
  },
  {
    name: 'a scan is served without a look at the cursor',
    file: 'src/kds/serve-pulls.ts',
    from: "  const verdict = cursor ? judgeCursor(source, peer, cursor) : 'unknown';",
    to: "  const verdict = cursor?.term === 0 ? judgeCursor(source, peer, cursor) : 'unknown';",
    within: 200,
  },
  {
    name: 'what a partial scan did not list is deleted',
    file: 'src/kds/receiver.ts',
    from: '  const next = nextAsk(asking, page);\n  if (asking.staged',
    to: "  const next = nextAsk(asking, page);\n  if (next && asking.ask.mode === 'scan' && state.seen) return { state: { ...state, asking: undefined }, effects: [{ do: 'apply', mode: 'scan', lines, end: state.seen }] };\n  if (asking.staged",
    within: 15,
  },
  {
    name: 'the zone in a payload is believed',
    file: 'src/control/receive/received-change.ts',
    from: '    const key = isGlobal(origin) ? decoded.key : { ...decoded.key, zone: origin.zone };',
    to: '    const key = decoded.key;',
    within: 25,
  },
  {
    name: 'the digest of a transfer is not compared',
    file: 'src/control/receive/apply-transfer.ts',
    from: '  return formatDigest(digest) === end.digest && count === end.count;',
    to: '  return formatDigest(digest) !== "" && count >= 0;',
    within: 25,
  },
  {
    name: 'absence deletes across terms',
    file: 'src/control/receive/apply-transfer.ts',
    from: "    if (term === end.term && (!listed || listed.wire === '')) absent.push({",
    to: "    if (term > 0 && (!listed || listed.wire === '')) absent.push({",
    within: 90,
  },
  {
    name: 'an answer that is lost is not asked for again',
    file: 'src/kds/receiver.ts',
    from: '  if (context.now - asking.sentAt < ANSWER_TIMEOUT) return { state, effects: [] };',
    to: '  if (context.now >= asking.sentAt) return { state, effects: [] };',
    within: 10,
  },
  {
    name: 'the position is another commit than the items',
    file: 'src/control/receive/apply-transfer.ts',
    from: '  tx.mirror.setPosition(peer, end);\n',
    to: "  if (transfer.mode === 'scan' || changes.size === 0) tx.mirror.setPosition(peer, end);\n  else if (changes.size > 1) tx.mirror.setPosition(peer, end);\n",
    within: 20,
  },
  {
    name: 'only the first items of a delta are applied',
    file: 'src/control/receive/apply-transfer.ts',
    from: '  for (const received of ordered) {',
    to: '  for (const received of ordered.slice(0, 3)) {',
    within: 5,
  },
  {
    name: 'the store of a peer is not pinned',
    file: 'src/kds/session.ts',
    from: '  if (!isPinned(from, context.pin)) return refuseStranger',
    to: "  if (context.pin === '-') return refuseStranger",
    within: 150,
  },
  {
    name: 'of two processes both go on',
    file: 'src/kds/session.ts',
    from: '  if (order < 0 && context.now - state.heardAt <= SILENCE)',
    to: '  if (order < 0 && context.now < SILENCE)',
    within: 70,
  },
  {
    name: 'names of copies are not told apart',
    file: 'src/naming/assign-name.ts',
    from: '    if (!holder || sameKey(holder, key)) return candidate;',
    to: '    if (n === 0 || !holder || sameKey(holder, key)) return candidate;',
    within: 100,
  },
  {
    name: 'the ledger says applied before it is',
    file: 'src/control/operate/ledger.ts',
    from: '  const isLater = position.revision < row.revision &&',
    to: '  const isLater = position.revision < row.revision - 1 &&',
    within: 10,
  },
  {
    name: 'an unchanged row is written again',
    file: 'src/store/resources/resource-table.ts',
    from: "      if (old && sameColumns(old, next, () => wireOf.get(number) ?? '')) return 'unchanged';\n",
    to: '',
    within: 12,
  },
  {
    name: 'a disabled zone is heard',
    file: 'src/kds/session.ts',
    from: '  if (context.disabled) return refuse',
    to: '  if (context.disabled && context.now < 0) return refuse',
    within: 25,
  },
  {
    name: 'what came again in a new term still counts as left over',
    file: 'src/control/receive/apply-transfer.ts',
    from: '  const item = before?.term === end.term ? undefined',
    to: '  const item = (before?.term ?? 0) <= end.term ? undefined',
    within: 12,
  },
  {
    name: 'a consumer policy goes to every zone',
    file: 'src/policy/policy-reach.ts',
    from: "  if (role !== 'producer' || mentionsExternalService(spec)) return NOBODY;",
    to: "  if (role === 'system' || mentionsExternalService(spec)) return NOBODY;",
    within: 25,
  },
];
