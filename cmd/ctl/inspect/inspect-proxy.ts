import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject, JsonValue } from '../../../src/resource/resource.ts';
import { ask } from '../api/api-client.ts';
import { printable, textOf } from '../terminal/printable.ts';
import type { Server } from '../api/server-address.ts';

/**
 * How the Envoy of a Dataplane stands; `base`: the Dataplane's path. undefined: it was never connected there, or global
 * is asked.
 */
export async function askProxy(server: Server, base: string): Promise<JsonObject | undefined> {
  try {
    const answer = await ask(server, `${base}/_proxy`);
    return isObject(answer) ? answer : undefined;
  } catch (thrown) {
    if (thrown instanceof MeridianError && thrown.code === 'not_found') return undefined;
    throw thrown;
  }
}

/** The same for people, a line each: whether it is connected, then all that is wrong with it. */
export function describeProxy({ streams, problem, refused, notServed, warnings }: JsonObject): string[] {
  const said = (what: string, value: JsonValue | undefined) =>
    isObject(value) ? [`warning: ${what} since ${textOf(value.since)}: ${textOf(value.reason)}`] : [];
  return [
    ...listed(streams).flatMap(describeStream),
    ...said('it keeps the rules that it has', problem),
    ...said('it was turned away', refused),
    ...texts(notServed).map((text) => `warning: ${text}`),
    ...texts(warnings).map((text) => `warning: ${text}`),
  ].map(printable);
}

function describeStream({ connected, envoyVersion, since, until, types }: JsonObject): string[] {
  const how = connected === true ? `connected since ${textOf(since)}` : `not connected since ${textOf(until)}`;
  return [`proxy: Envoy ${textOf(envoyVersion)}, ${how}`, ...listed(types).flatMap(describeRefusals)];
}

function describeRefusals({ refused }: JsonObject): string[] {
  return listed(refused).map(
    ({ name, since, attempts, message }) =>
      `warning: it refuses ${textOf(name)} since ${textOf(since)} (${textOf(attempts)} times), and keeps what it has: ${textOf(message)}`,
  );
}

function listed(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isObject) : [];
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).map(textOf) : [];
}
