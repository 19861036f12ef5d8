// Makes src/xds/wire/gen/descriptors.ts again: the part of Envoy's API that src/xds speaks, as protobuf descriptors.
//   node scripts/generate-xds.mjs FILE
// FILE is Envoy's API as a binary FileDescriptorSet; that of version 1.40 was the last. In a checkout of the proto
// files of Envoy, `buf build --as-file-descriptor-set -o FILE` or `protoc --include_imports --descriptor_set_out=FILE`
// writes one. Kept are the messages that are named below and all that they refer to, without deprecated fields,
// services, options and comments.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { isProgram, main, Problem, ROOT, say } from './command.mjs';

const TARGET = join(ROOT, 'src', 'xds', 'wire', 'gen', 'descriptors.ts');
const LINE = 200;

const SCALARS = {
  bool: FieldDescriptorProto_Type.BOOL,
  int32: FieldDescriptorProto_Type.INT32,
  string: FieldDescriptorProto_Type.STRING,
};

const MESSAGES = [
  'envoy.service.discovery.v3.DeltaDiscoveryRequest',
  'envoy.service.discovery.v3.DeltaDiscoveryResponse',
  'envoy.config.cluster.v3.Cluster',
  'envoy.config.core.v3.TypedExtensionConfig',
  'envoy.config.listener.v3.Listener',
  'envoy.config.rbac.v3.Action',
  'envoy.config.route.v3.RouteConfiguration',
  'envoy.extensions.access_loggers.stream.v3.StdoutAccessLog',
  'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz',
  'envoy.extensions.filters.http.rbac.v3.RBAC',
  'envoy.extensions.filters.http.rbac.v3.RBACPerRoute',
  'envoy.extensions.filters.http.router.v3.Router',
  'envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector',
  'envoy.extensions.filters.network.ext_authz.v3.ExtAuthz',
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
  'envoy.extensions.filters.network.rbac.v3.RBAC',
  'envoy.extensions.filters.network.set_filter_state.v3.Config',
  'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
  'envoy.extensions.rbac.principals.mtls_authenticated.v3.Config',
  'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext',
  'envoy.extensions.transport_sockets.tls.v3.SPIFFECertValidatorConfig',
  'envoy.extensions.transport_sockets.tls.v3.Secret',
  'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
  'envoy.service.auth.v3.CheckRequest',
  'envoy.service.auth.v3.CheckResponse',
  'google.protobuf.StringValue',
  'xds.type.matcher.v3.Matcher',
];

/** What a matcher may look at, and compare with: all messages of these files. */
const FILES = [
  'envoy/extensions/matching/common_inputs/network/v3/network_inputs.proto',
  'envoy/extensions/matching/common_inputs/ssl/v3/ssl_inputs.proto',
  'envoy/extensions/matching/input_matchers/ip/v3/ip.proto',
  'envoy/type/matcher/v3/http_inputs.proto',
  'xds/type/matcher/v3/ip.proto',
];

/** The Go modules that sets are made from lack these. Of what each of them has, only that which is used is here. */
const LACKING = [
  file('envoy.extensions.filters.listener.tls_inspector.v3', 'tls_inspector', { TlsInspector: {} }),
  file('envoy.extensions.rbac.principals.mtls_authenticated.v3', 'mtls_authenticated', {
    Config: { san_matcher: [1, 'envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher'] },
  }),
  file('envoy.extensions.filters.http.ext_authz.v3', 'ext_authz', {
    ExtAuthz: {
      grpc_service: [1, 'envoy.config.core.v3.GrpcService'],
      failure_mode_allow: [2, 'bool'],
      transport_api_version: [12, 'int32'],
      stat_prefix: [13, 'string'],
      filter_enabled_metadata: [14, 'envoy.type.matcher.v3.MetadataMatcher'],
      allowed_headers: [17, 'envoy.type.matcher.v3.ListStringMatcher'],
    },
  }),
  file('envoy.extensions.filters.network.ext_authz.v3', 'ext_authz', {
    ExtAuthz: {
      stat_prefix: [1, 'string'],
      grpc_service: [2, 'envoy.config.core.v3.GrpcService'],
      failure_mode_allow: [3, 'bool'],
      transport_api_version: [5, 'int32'],
      filter_enabled_metadata: [6, 'envoy.type.matcher.v3.MetadataMatcher'],
      include_tls_session: [8, 'bool'],
    },
  }),
  file('envoy.extensions.filters.network.set_filter_state.v3', 'set_filter_state', {
    Config: { on_new_connection: [1, 'envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue', 'repeated'] },
  }),
  file('envoy.extensions.filters.common.set_filter_state.v3', 'value', {
    FilterStateValue: {
      object_key: [1, 'string'],
      format_string: [2, 'envoy.config.core.v3.SubstitutionFormatString'],
      factory_key: [6, 'string'],
    },
  }),
  file('envoy.service.auth.v3', 'attribute_context', {
    AttributeContext: {
      source: [1, 'envoy.service.auth.v3.Peer'],
      request: [4, 'envoy.service.auth.v3.CheckedRequest'],
      tls_session: [12, 'envoy.service.auth.v3.CheckedSession'],
    },
    Peer: { principal: [4, 'string'] },
    CheckedRequest: { http: [2, 'envoy.service.auth.v3.CheckedHttp'] },
    CheckedHttp: { headers: [3, 'envoy.service.auth.v3.CheckedHeader', 'repeated'] },
    CheckedHeader: { key: [1, 'string'], value: [2, 'string'] },
    CheckedSession: { sni: [1, 'string'] },
  }),
  file('envoy.service.auth.v3', 'external_auth', {
    CheckRequest: { attributes: [1, 'envoy.service.auth.v3.AttributeContext'] },
    CheckResponse: {
      status: [1, 'google.rpc.Status'],
      denied_response: [2, 'envoy.service.auth.v3.DeniedHttpResponse'],
    },
    DeniedHttpResponse: { status: [1, 'envoy.service.auth.v3.DeniedStatus'], body: [3, 'string'] },
    DeniedStatus: { code: [1, 'int32'] },
  }),
];

/**
 * A file of the API: its messages, and of each the fields by name, `[number, type]`. An enum is an int32 here, nested
 * messages stand beside the others, and a map is its entries: on the wire they are the same.
 */
function file(packageName, name, messages) {
  return create(FileDescriptorProtoSchema, {
    name: `${packageName.replaceAll('.', '/')}/${name}.proto`,
    package: packageName,
    syntax: 'proto3',
    messageType: Object.entries(messages).map(([message, fields]) => ({
      name: message,
      field: Object.entries(fields).map(([field, [number, type, repeated]]) => ({
        name: field,
        jsonName: field.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase()),
        number,
        label: repeated ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL,
        ...(type in SCALARS ? { type: SCALARS[type] } : { type: FieldDescriptorProto_Type.MESSAGE, typeName: `.${type}` }),
      })),
    })),
  });
}

/**
 * In: a FileDescriptorSet. Out: another with what is used only, each file after those that it imports.
 * Throws Problem when the set lacks something.
 */
function trim(set) {
  const files = [...set.file.filter(({ name }) => !LACKING.some((other) => other.name === name)), ...LACKING];
  const types = typesOf(files);
  const used = closure(types);
  const imports = new Map(files.map((file) => [file.name, importsOf(file, types, used)]));
  const kept = files.filter((file) => [...used].some((name) => types.get(name).file === file));
  const trimmed = kept.map((file) =>
    create(FileDescriptorProtoSchema, {
      name: file.name,
      package: file.package,
      syntax: file.syntax,
      dependency: imports.get(file.name),
      messageType: messagesIn(`.${file.package}`, file.messageType, used),
      enumType: file.enumType.filter(({ name }) => used.has(`.${file.package}.${name}`)).map(withoutOptions),
    }),
  );
  return create(FileDescriptorSetSchema, { file: inOrder(trimmed) });
}

/** Every message and enum of the files by its full name (`.package.Outer.Inner`). */
function typesOf(files) {
  const types = new Map();
  const add = (file, scope, messages, enums) => {
    for (const type of enums) types.set(`${scope}.${type.name}`, { file, fields: [] });
    for (const type of messages) {
      const name = `${scope}.${type.name}`;
      types.set(name, { file, fields: fieldsOf(type) });
      add(file, name, type.nestedType, type.enumType);
    }
  };
  for (const file of files) add(file, `.${file.package}`, file.messageType, file.enumType);
  return types;
}

function fieldsOf(message) {
  return message.field.filter(({ options }) => !options?.deprecated);
}

/** The full names of what MESSAGES and FILES refer to, themselves included. */
function closure(types) {
  const used = new Set();
  const ofFiles = [...types].filter(([, { file }]) => FILES.includes(file.name)).map(([name]) => name);
  const open = [...MESSAGES.map((name) => `.${name}`), ...ofFiles];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (used.has(name)) continue;
    const type = types.get(name);
    if (!type) throw new Problem(`The set has no ${name.slice(1)}.`);
    used.add(name);
    open.push(...type.fields.map(({ typeName }) => typeName).filter((of) => of !== ''));
  }
  return used;
}

function importsOf(file, types, used) {
  const own = [...used].map((name) => types.get(name)).filter((type) => type.file === file);
  const referred = own.flatMap(({ fields }) => fields).filter(({ typeName }) => typeName !== '');
  return [...new Set(referred.map(({ typeName }) => types.get(typeName).file.name))].filter((name) => name !== file.name).sort();
}

/** Used messages, and those that only hold used ones, without fields. */
function messagesIn(scope, messages, used) {
  return messages.flatMap((message) => {
    const name = `${scope}.${message.name}`;
    const inner = messagesIn(name, message.nestedType, used);
    const enums = message.enumType.filter((type) => used.has(`${name}.${type.name}`)).map(withoutOptions);
    if (!used.has(name) && inner.length + enums.length === 0) return [];
    const options = message.options?.mapEntry ? { mapEntry: true } : undefined;
    return [{ name: message.name, nestedType: inner, enumType: enums, options, ...(used.has(name) ? membersOf(message) : {}) }];
  });
}

/** A oneof whose fields are all deprecated goes, and the others are counted anew. */
function membersOf(message) {
  const fields = fieldsOf(message);
  const oneofs = message.oneofDecl.map((_, index) => index).filter((index) => fields.some(({ oneofIndex }) => oneofIndex === index));
  return {
    oneofDecl: oneofs.map((index) => ({ name: message.oneofDecl[index].name })),
    field: fields.map((field) => ({ ...withoutOptions(field), oneofIndex: inOneof(field) ? oneofs.indexOf(field.oneofIndex) : undefined })),
  };
}

function inOneof(field) {
  return Object.hasOwn(field, 'oneofIndex');
}

function withoutOptions({ options: _, value, ...rest }) {
  return value ? { ...rest, value: value.map(withoutOptions) } : rest;
}

/** Each file after those that it imports. */
function inOrder(files) {
  const done = [];
  const visit = (file) => {
    if (done.includes(file)) return;
    for (const name of file.dependency) visit(files.find((other) => other.name === name));
    done.push(file);
  };
  files.forEach(visit);
  return done;
}

function render(set) {
  const text = gzipSync(toBinary(FileDescriptorSetSchema, set), { level: 9 }).toString('base64');
  const lines = text.match(new RegExp(`.{1,${LINE}}`, 'g'));
  return [
    '// Made by scripts/generate-xds.mjs: do not edit.',
    "/** Envoy's API as far as it is used here: a FileDescriptorSet, gzipped, in base64. */",
    `export const DESCRIPTORS = \`\n${lines.join('\n')}\n\`;`,
    '',
  ].join('\n');
}

if (isProgram(import.meta.url)) {
  await main(() => {
    const file = process.argv[2];
    if (!file) throw new Problem('Say where the FileDescriptorSet is: node scripts/generate-xds.mjs FILE');
    const set = trim(fromBinary(FileDescriptorSetSchema, readFileSync(file)));
    const text = render(set);
    writeFileSync(TARGET, text);
    say(`${set.file.length} files of Envoy's API, ${text.length} bytes, in ${TARGET}`);
  });
}
