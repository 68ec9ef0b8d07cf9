/**
 * A span for each authenticated request, with what its client may see in it (kube-apiserver: WithTracing, and the attributes of
 * OpenTelemetry's conventions for HTTP servers). Later steps run under it; it ends with the response.
 */
import { isIPv6 } from 'node:net';
import type { SpanAttributes } from '../../base/span.ts';
import { inStep, runInSpan } from '../../base/span.ts';
import { groupMasters } from '../../meta/user.ts';
import { groupMonitoring } from '../../authz/bootstrap/bootstrap-bindings.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import type { Tracer } from '../../observe/tracing/tracer.ts';
import type { RequestContext } from '../request-context.ts';
import { shownTarget } from './shown-target.ts';
import type { Step } from './step.ts';

/** @param authentication runs before, for the trace of a privileged client is continued; @param rest runs under the span */
export function withTracing(tracer: Tracer, authentication: Step, rest: readonly Step[]): Step {
  const { trustsPrivileged } = tracer.settings;
  return async function tracing(context: RequestContext): Promise<void> {
    const { clock } = context.phase;
    const since = clock.monotonic();
    const pending = authentication(context);
    if (pending) await pending;
    if (context.isClosed()) return;
    const span = tracer.begin({
      ...{ name: spanName(context.info, context.req.method ?? ''), since: context.startedAt },
      attributes: () => requestAttributes(context),
      ...{ traceparent: headerOf(context, 'traceparent'), tracestate: headerOf(context, 'tracestate') },
      baggage: headerOf(context, 'baggage'),
      isTrusted: trustsPrivileged && isPrivileged(context),
    });
    span.child('authentication', { since }).end();
    context.onClose(() => {
      span.set(answerAttributes(context));
      if (context.res.statusCode >= 500) span.fail(new ServerFailure());
      span.end();
    });
    await runInSpan(span, () => runSteps(rest, context));
  };
}

/** As the chain runs them, which has no function between for requests that are not traced. */
async function runSteps(steps: readonly Step[], context: RequestContext): Promise<void> {
  for (const step of steps) {
    const pending = step(context);
    if (pending) await pending;
    if (context.isClosed()) return;
  }
}

/** The step as a span of a traced request. */
export function asSpan(name: (context: RequestContext) => string, step: Step): Step {
  return (context) => inStep(name(context), () => step(context));
}

/** How kube-apiserver names what a verb does. */
const verbSpans = new Map([
  ['get', 'Get'],
  ['list', 'List'],
  ['watch', 'Watch'],
  ['create', 'Create'],
  ['update', 'Update'],
  ['patch', 'Patch'],
  ['delete', 'Delete'],
  ['deletecollection', 'Delete'],
]);

/** The name of the span of what the filters let pass. */
export function verbSpanName({ info }: RequestContext): string {
  return (info.isResourceRequest ? verbSpans.get(info.verb) : undefined) ?? 'Serve';
}

/** The type of the error of a request that the server failed. */
class ServerFailure extends Error {
  override readonly name = 'ServerFailure';
}

/** Clients of these groups may make the service record what they trace. */
function isPrivileged({ user }: RequestContext): boolean {
  return user.groups.includes(groupMasters) || user.groups.includes(groupMonitoring);
}

/** Method and form of the path: few texts, whatever clients ask for. */
function spanName(info: RequestInfo, method: string): string {
  if (!info.isResourceRequest) return method;
  return [
    `${method} /${info.apiPrefix}`,
    ...(info.apiGroup === '' ? [] : [info.apiGroup]),
    info.apiVersion,
    ...(info.namespace === '' ? [] : ['namespaces', '{:namespace}']),
    info.resource,
    ...(info.name === '' ? [] : ['{:name}']),
    ...(info.subresource === '' ? [] : [info.subresource]),
  ].join('/');
}

function requestAttributes(context: RequestContext): SpanAttributes {
  const { req, auditId, info } = context;
  const { remoteAddress = '', remotePort = 0 } = req.socket;
  const { path, target } = shownTarget(info, context.query);
  const host = req.headers.host ?? '';
  return {
    'audit-id': auditId,
    'http.request.method': req.method ?? '',
    'http.target': target,
    'url.path': path,
    'url.scheme': 'https',
    'server.address': isIPv6(host) ? host : host.replace(/:\d+$/, ''),
    'network.peer.address': remoteAddress,
    'network.peer.port': remotePort,
    'client.address': remoteAddress,
    'network.protocol.version': req.httpVersion,
    'user_agent.original': context.header('user-agent'),
  };
}

function answerAttributes({ res, answeredBytes }: RequestContext): SpanAttributes {
  return { 'http.response.status_code': res.statusCode, 'http.response.body.size': answeredBytes };
}

function headerOf({ req }: RequestContext, name: 'traceparent' | 'tracestate' | 'baggage'): string {
  return req.headers[name]?.toString() ?? '';
}
