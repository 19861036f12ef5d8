import { gunzipSync } from 'node:zlib';
import { createFileRegistry, type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { MeridianError } from '../../errors.ts';
import { DESCRIPTORS } from './gen/descriptors.ts';

/** Envoy's messages by name. */
export const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, gunzipSync(Buffer.from(DESCRIPTORS, 'base64'))));

/**
 * The message of a full name (`envoy.config.cluster.v3.Cluster`). Throws `internal`: scripts/generate-xds.mjs leaves it
 * out.
 */
export function messageOf(name: string): DescMessage {
  const found = registry.getMessage(name);
  if (!found) throw new MeridianError('internal', `${name} is not in src/xds/wire/gen`);
  return found;
}
