import assert from 'node:assert/strict';
import { it } from 'node:test';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { messageOf } from './type-registry.ts';
import { writeResponse } from './delta-messages.ts';

const RESPONSE = messageOf('envoy.service.discovery.v3.DeltaDiscoveryResponse');
const text = fc.string({ unit: fc.constantFrom('a', 'é', '/', '世') });
const resource = fc.record({ name: text, version: text, value: fc.uint8Array({ maxLength: 300 }) });

it('a response is the message that protobuf-es makes of it', () => {
  fc.assert(
    fc.property(text, text, fc.array(resource), fc.array(text), (typeUrl, nonce, resources, removed) => {
      const message = create(RESPONSE, {
        typeUrl,
        nonce,
        resources: resources.map(({ name, version, value }) => ({ name, version, resource: { typeUrl, value } })),
        removedResources: removed,
      });
      const written = writeResponse({ typeUrl, nonce, resources, removed });
      assert.deepEqual(fromBinary(RESPONSE, new Uint8Array(written)), fromBinary(RESPONSE, toBinary(RESPONSE, message)));
    }),
  );
});
