import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { newAjv } from './contract.ts';
import { ask, EAST } from './harness.ts';
import { OPENAPI } from './openapi-structure.ts';
import { SHIPPED, shippedText, wholeApi } from './shipped.ts';

const scope = new Scope();
after(() => scope.close());

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly $ref?: string; readonly in?: string; readonly name?: string }[];
}
interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

for (const [title, place] of Object.entries({ global: GLOBAL, east: EAST })) {
  describe(`the routes at ${title}`, () => {
    const api = wholeApi(scope, place);

    it('are all described', () => {
      const undescribed = api.app.served
        .filter(({ config }) => !config?.operation && !config?.refused && !config?.undocumented)
        .map(({ method, url }) => `${String(method)} ${url}: describe it with described() of src/api/openapi/operation.ts`);
      assert.deepEqual(undescribed, []);
    });

    it('are those of the document that is served, in JSON and in YAML', async () => {
      const { body } = await ask(api, 'GET', '/openapi.json');
      const described = api.app.served.filter(({ config }) => config?.operation).map(({ method, url }) => `${String(method)} ${url}`);
      const document = body as OpenApiDocument;
      const told = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
      );
      assert.deepEqual(told.sort(), described.sort());
      const yaml = await api.app.inject({ url: '/openapi.yaml', headers: { host: '127.0.0.1' } });
      assert.match(String(yaml.headers['content-type']), /^application\/yaml/);
      assert.deepEqual(parse(yaml.body), body);
    });
  });
}

describe('the shipped document', () => {
  let text = '';
  let document: OpenApiDocument;
  before(async () => {
    text = await shippedText();
    document = JSON.parse(text) as OpenApiDocument;
  });

  it('is what the sources say', () => {
    const told = 'docs/reference/openapi.json is stale: run `node scripts/openapi.ts`';
    assert.ok(readFileSync(SHIPPED, 'utf8') === text, told);
  });

  it('has the structure of OpenAPI 3.1', () => {
    const ajv = newAjv();
    assert.ok(ajv.validate(OPENAPI, document), ajv.errorsText());
    for (const breach of [{}, { openapi: '3.0.0' }, { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: { x: {} } }]) {
      assert.ok(!ajv.validate(OPENAPI, breach));
    }
  });

  it('has schemas of JSON Schema 2020-12, which compile', () => {
    const ajv = newAjv();
    ajv.addSchema({ ...document, $id: 'api' }, 'api', false, false);
    for (const [id, schema] of Object.entries(document.components.schemas ?? {})) {
      assert.ok(ajv.validateSchema(schema), `${id}: ${ajv.errorsText()}`);
      ajv.compile({ $ref: `api#/components/schemas/${id}` });
    }
  });

  it('leads every reference somewhere, and has no component that nothing refers to', () => {
    const refs = new Set([...text.matchAll(/"\$ref": "([^"]+)"/g)].map(([, ref = '']) => ref));
    const components = Object.entries(document.components)
      .filter(([group]) => group !== 'securitySchemes')
      .flatMap(([group, members]) => Object.keys(members).map((id) => `#/components/${group}/${id}`));
    assert.deepEqual([...refs].sort(), components.sort());
  });

  it('names each operation once', () => {
    const ids = operations(document).map(({ operation }) => operation.operationId);
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
  });

  it('declares each parameter of a path, and no other', () => {
    for (const { path, operation } of operations(document)) {
      const declared = (operation.parameters ?? [])
        .map((parameter) => (parameter.$ref ? refersTo(document, parameter.$ref) : parameter))
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name);
      assert.deepEqual(
        declared,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        path,
      );
    }
  });
});

function operations({ paths }: OpenApiDocument): { path: string; operation: DocumentedOperation }[] {
  return Object.entries(paths).flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, operation })));
}

function refersTo({ components }: OpenApiDocument, ref: string): { readonly in?: string; readonly name?: string } {
  const [, , group = '', id = ''] = ref.split('/');
  return components[group]?.[id] ?? {};
}
