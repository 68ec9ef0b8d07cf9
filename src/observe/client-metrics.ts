/** Metrics of requests to other servers (webhooks, the API server of controllers), with their Kubernetes names. */
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface ClientFamilies {
  readonly clientRequests: NumberFamily;
  readonly clientRequestDuration: HistogramFamily;
}

/** Registers the metrics. */
export function createClientMetrics(metrics: Metrics): ClientFamilies {
  return {
    clientRequests: metrics.counter({
      name: 'rest_client_requests_total',
      help: 'Requests to other servers by status code (<error> without a response), method and host.',
      labels: ['code', 'method', 'host'],
    }),
    clientRequestDuration: metrics.histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'Time in seconds until other servers respond, by verb and URL without names.',
      labels: ['verb', 'url'],
      laterLabels: { since: '1.24', labels: ['verb', 'host'] },
      bounds: Array.from({ length: 10 }, (_, i) => 0.001 * 2 ** i),
    }),
  };
}

/** A request to another server that is over. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  /** undefined without a response. */
  readonly code: number | undefined;
  readonly seconds: number;
}

/** Hosts and URLs are counted by name up to this number of each; webhooks may name any. */
const maxNames = 256;

/** Counts requests. */
export function countRequests(families: ClientFamilies): (sent: SentRequest) => void {
  const [hosts, urls] = [new Set<string>(), new Set<string>()];
  return ({ method, url, code, seconds }) => {
    const host = known(hosts, url.host);
    families.clientRequests.series({ code: String(code ?? '<error>'), method, host }).add();
    const shown = known(urls, `${url.origin}${templateOf(url.pathname)}`);
    families.clientRequestDuration.series({ verb: method, url: shown, host }).observe(seconds);
  };
}

function known(names: Set<string>, name: string): string {
  if (names.has(name)) return name;
  if (names.size >= maxNames) return 'other';
  names.add(name);
  return name;
}

/** The path without names of objects and namespaces, as client-go writes it; `/%7Bprefix%7D` for others than of the API. */
function templateOf(path: string): string {
  const api = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\//.exec(path)?.[0];
  if (api === undefined) return '/%7Bprefix%7D';
  const parts = path.slice(api.length).split('/');
  const inNamespace = parts[0] === 'namespaces' && parts.length > 2;
  const namespace = inNamespace ? 'namespaces/%7Bnamespace%7D/' : '';
  const [resource = '', name, ...rest] = inNamespace ? parts.slice(2) : parts;
  return `${api}${namespace}${[resource, ...(name === undefined ? [] : ['%7Bname%7D']), ...rest.slice(0, 1)].join('/')}`;
}
