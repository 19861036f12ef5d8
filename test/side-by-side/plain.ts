import { hostname } from 'node:os';
import { parseAllDocuments } from 'yaml';
import type { AnyJson } from '../api/harness.ts';

/** Fields that name one process or one run. */
const OF_THE_RUN = ['clusterId', 'instanceId', 'globalInstanceId', 'hostname', 'id', 'data'];

/** The same value without times, addresses, tokens and ids of processes. */
export function plainValue(value: AnyJson, hidden: readonly string[]): AnyJson {
  if (typeof value === 'string') return plainWords(value, hidden);
  if (Array.isArray(value)) return value.map((item) => plainValue(item, hidden));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, OF_THE_RUN.includes(field) ? `<${field}>` : plainValue(inner, hidden)]),
  );
}

/** An output of kumactl: the documents of YAML or JSON, the rows of a table, or its lines. */
export function plainText(text: string, hidden: readonly string[]): AnyJson {
  const documents = documentsOf(text);
  if (documents !== undefined) return documents.map((document) => plainValue(document, hidden));
  return text
    .split('\n')
    .map((line) => plainWords(line, hidden).trimEnd())
    .filter((line) => line !== '')
    .map((line) => (/ {3}/.test(line) ? line.split(/ {3,}/).map(plainCell) : line));
}

function documentsOf(text: string): AnyJson[] | undefined {
  if (!/^(---|\{|[a-zA-Z]+:(\s|$)|# Product)/.test(text)) return undefined;
  const parsed = parseAllDocuments(text);
  if (!Array.isArray(parsed) || parsed.some(({ errors }) => errors.length > 0)) return undefined;
  const values = parsed.map((document) => document.toJS() as AnyJson);
  return values.every((value) => typeof value === 'object' && value !== null) ? values : undefined;
}

/** How long ago: `never` is another thing than some time. */
function plainCell(cell: string): string {
  return /^\d+[smhd]$/.test(cell) ? '<age>' : cell;
}

function plainWords(text: string, hidden: readonly string[]): string {
  return hidden
    .reduce((shown, secret) => shown.replaceAll(secret, '<here>'), text)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>')
    .replaceAll(new RegExp(`(?<=Hostname: )${hostname()}`, 'g'), '<hostname>')
    .replaceAll(/(ClusterId|InstanceId): [\w-]+/g, '$1: <id>');
}
