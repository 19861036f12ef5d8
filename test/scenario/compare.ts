import assert from 'node:assert/strict';
import { z } from 'zod';
import { formatKri } from '../../src/resource/key.ts';
import type { Node } from '../simulator/node.ts';
import type { World } from '../simulator/world.ts';
import { danglingAt, documentsAt, ledgerAt, rowsAt } from './actual.ts';
import { difference } from './difference.ts';
import type { Scenario } from './scenario.ts';

const told = z.strictObject({
  at: z.string(),
  resource: z.string(),
  peer: z.string(),
  state: z.string(),
  /** A part of it. */
  reason: z.string().optional(),
});
const dangling = z.strictObject({ at: z.string(), resource: z.string(), path: z.string(), reason: z.string() });
const untouched = z.strictObject({ at: z.string(), resource: z.string() });

/** Compares all that the folder expects with what is. What it says nothing of must be as if nothing had gone wrong. */
export function compare(world: World, scenario: Scenario): void {
  for (const node of world.nodes.values()) noDifference(node.name, scenario.expected.get(node.name) ?? [], documentsAt(node, scenario));
  compareStatus(world, scenario);
  compareLedger(world, scenario);
  compareUntouched(world, scenario);
}

function noDifference(file: string, expected: readonly unknown[], actual: readonly unknown[]): void {
  const text = difference(expected, actual);
  if (text !== '') assert.fail(`expected/${file}.yaml (- expected, + actual)\n${text}`);
}

/** Exactly these references lead to nothing. */
function compareStatus(world: World, { expected }: Scenario): void {
  const wanted = z.array(dangling).parse(expected.get('status')?.[0] ?? []);
  const found = [...world.nodes.values()].flatMap((node) => danglingAt(node).map((entry) => ({ at: node.name, ...entry })));
  const matched = found.map((entry) => wanted.find((want) => same(want, entry, ['at', 'resource', 'path'])) ?? entry);
  noDifference('status', wanted, matched);
}

/** Exactly these are not applied; those that are said to be applied are. */
function compareLedger(world: World, { expected }: Scenario): void {
  const wanted = z.array(told).parse(expected.get('ledger')?.[0] ?? []);
  const all = [...world.nodes.values()].flatMap((node) => ledgerAt(node).map((entry) => toTold(node, entry)));
  const find = (entry: z.infer<typeof told>) => wanted.find((want) => same(want, entry, ['at', 'resource', 'peer', 'state']));
  const matched = all.flatMap((entry) => find(entry) ?? (entry.state === 'applied' ? [] : entry));
  noDifference('ledger', wanted, matched);
}

function toTold(node: Node, { key, peer, state, reason }: ReturnType<typeof ledgerAt>[number]): z.infer<typeof told> {
  return { at: node.name, resource: formatKri(key), peer, state, reason };
}

function same<T extends { reason?: string | undefined }>(wanted: T, found: T, fields: readonly (keyof T)[]): boolean {
  return fields.every((field) => wanted[field] === found[field]) && (found.reason ?? '').includes(wanted.reason ?? '');
}

/** These copies were written once, when they came. */
function compareUntouched(world: World, { expected }: Scenario): void {
  for (const { at, resource } of z.array(untouched).parse(expected.get('untouched')?.[0] ?? [])) {
    const row = rowsAt(world.node(at === 'global' ? '' : at)).find((candidate) => formatKri(candidate.resource.key) === resource);
    assert.ok(row, `expected/untouched.yaml: ${resource} is not at ${at}`);
    const { creationTime, modificationTime } = row.resource;
    assert.equal(modificationTime, creationTime, `expected/untouched.yaml: ${resource} was rewritten at ${at}`);
  }
}
