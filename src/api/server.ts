import Fastify, { type FastifyInstance } from 'fastify';
import { keepWitnesses } from '../control/families.js';
import { MeridianError } from '../errors.js';
import { addApplyRoute } from './apply.js';
import { addAuditing } from './audit/auditing.js';
import { addAuditRoute } from './audit/route.js';
import type { Trail } from './audit/trail.js';
import { writeFirstToken } from './auth/first-token.js';
import { createGate } from './auth/gate.js';
import type { Gate } from './auth/principal.js';
import { addTokenRoutes } from './auth/routes.js';
import { Tokens } from './auth/tokens.js';
import { addBodyParsers, MAX_BODY_BYTES } from './bodies.js';
import { errorHandler, sendNotFound } from './errors.js';
import { refuseUnseenConditions } from './etag.js';
import { addForeignRoutes } from './foreign.js';
import { addGuard } from './guard.js';
import { addInfoRoutes } from './info.js';
import { addGlobalInsightRoute } from './insights/global.js';
import { addMeshInsightRoutes } from './insights/mesh.js';
import { addServiceInsightRoutes } from './insights/service.js';
import { addInspectRoutes } from './inspect/routes.js';
import { addKriRoutes } from './kri.js';
import { addLedgerRoute } from './ledger.js';
import { createListeners } from './listen.js';
import { answerWrongMethods } from './methods.js';
import { addOpenApiRoutes } from './openapi/routes.js';
import type { ApiOptions } from './options.js';
import { addProxiesRoutes } from './proxies.js';
import { addProxyTokensRoute } from './proxy-tokens.js';
import { addRecoverRoute } from './recover.js';
import { addResourceRoutes } from './resources.js';
import { addSyncRoute } from './sync.js';
import { addWatchRoute } from './watch/route.js';
import { addWatch } from './watch/watch.js';
import { addZoneRoutes } from './zones.js';

/** As long as a URL can be: a name that is too long is not found, as any other. */
const MAX_PARAMETER = 16 * 1024;

/**
 * Serves the REST API (design, sections 1, 3 and 8) until `close`. `port` is the one it listens on. Throws `unavailable` when the address
 * can't be had.
 */
export async function startApi(options: ApiOptions): Promise<{ port: number; close(): Promise<void> }> {
  const tokens = tokensOf(options);
  const app = createApi(options, tokens);
  const { access, report } = options;
  if (access && !access.loopbackAdmin) await writeFirstToken(tokens, access.firstTokenFile, report);
  try {
    await app.listen({ host: options.address, port: options.port });
  } catch (cause) {
    await app.close();
    throw new MeridianError('unavailable', `the API can't listen on ${options.address}, port ${options.port}`, {
      cause,
      hint: 'choose another MERIDIAN_API_ADDRESS or MERIDIAN_API_PORT',
    });
  }
  const bound = app.server.address();
  return { port: typeof bound === 'object' && bound !== null ? bound.port : options.port, close: () => app.close() };
}

/** The API without a socket: for `startApi`, and to ask it directly. */
export function createApi(options: ApiOptions, tokens: Tokens = tokensOf(options)): FastifyInstance {
  const { report, access } = options;
  const listeners = createListeners(access?.tls, report);
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    frameworkErrors: errorHandler(report),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAMETER },
    serverFactory: listeners.create,
  });
  app.addHook('onClose', async () => listeners.close());
  app.setErrorHandler(errorHandler(report));
  app.setNotFoundHandler(sendNotFound);
  addGuard(app, gateOf(options, tokens));
  addBodyParsers(app);
  refuseUnseenConditions(app);
  const trail = addAuditing(app, options);
  const wakeWatches = addWatch(app, options);
  options.onCommit?.(wakeWatches);
  const afterCommit = (): void => {
    options.afterCommit();
    wakeWatches();
  };
  answerWrongMethods(app, () => addRoutes(app, { ...options, afterCommit }, { tokens, trail }));
  return app;
}

function tokensOf({ plane, now = Date.now }: ApiOptions): Tokens {
  return new Tokens(plane, now);
}

function gateOf({ plane, address, access, report }: ApiOptions, tokens: Tokens): Gate {
  const { hostNames = [], loopbackAdmin = true } = access ?? {};
  const names = [address, ...hostNames].map((name) => name.toLowerCase());
  return createGate({ tokens, place: plane.place, names, loopbackAdmin, report, monotonic: () => performance.now() });
}

function addRoutes(app: FastifyInstance, options: ApiOptions, { tokens, trail }: { tokens: Tokens; trail: Trail }): void {
  // Kept once: whoever writes asks for them.
  const witnesses = keepWitnesses(options.plane);
  addOpenApiRoutes(app, options);
  addInfoRoutes(app, options);
  addKriRoutes(app, options);
  addZoneRoutes(app, options);
  addInspectRoutes(app, options);
  addResourceRoutes(app, options, witnesses);
  addForeignRoutes(app, options);
  addMeshInsightRoutes(app, options);
  addServiceInsightRoutes(app, options);
  addGlobalInsightRoute(app, options);
  addApplyRoute(app, options, witnesses);
  addLedgerRoute(app, options);
  addSyncRoute(app, options);
  addRecoverRoute(app, options);
  addWatchRoute(app);
  addAuditRoute(app, options, trail);
  addProxyTokensRoute(app, options);
  addProxiesRoutes(app, options);
  addTokenRoutes(app, tokens, options.plane.place);
}
