import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Report } from '../../report.ts';
import { asMeridianError } from '../../errors.ts';
import { toErrorBody } from '../http/error-answers.ts';

/** Answers a request that is not upgraded as any other that is refused, and ends its connection. */
export function refuse(socket: Duplex, thrown: unknown, report: Report): void {
  const error = asMeridianError(thrown);
  const body = toErrorBody(error, 'Could not watch');
  if (body.status >= 500) report('error', 'the API failed', { url: '/_watch', error: error.stack ?? error.message });
  const text = JSON.stringify(body);
  const headers = [
    `HTTP/1.1 ${body.status} ${STATUS_CODES[body.status] ?? 'Error'}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    ...(error.code === 'unauthorized' ? ['www-authenticate: Bearer'] : []),
    ...(error.retryAfter === undefined ? [] : [`retry-after: ${error.retryAfter}`]),
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${text}`);
}
