/**
 * Reads a TracingConfiguration (kube-apiserver: apiserver.config, with the validation of component-base/tracing). All errors are
 * found, each with its line and the path of its field.
 */
import { isAbsolute } from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import type { TracingSettings } from '../../observe/tracing/tracer.ts';
import { addInvalid, addProblem } from '../placed-problems.ts';
import type { Placed, YamlFile } from '../yaml-file.ts';

const versions: readonly (readonly [version: string, since: number])[] = [
  ['v1', 34],
  ['v1beta1', 27],
  ['v1alpha1', 22],
];
const million = 1_000_000;
/** Where collectors of this machine listen. */
const usualEndpoint = 'localhost:4317';
const usualPort = '4317';
const hostAndPort = /^(?<host>\[[0-9a-f:.]+\]|[^:/?#@\s[\]]+)(?::(?<port>\d{1,5}))?$/i;
/** Until then no client's trace is continued. */
const trustsPrivilegedSince = 33;

/** Errors are added to those of the file. @param minor of the emulated release */
export function readTracing(
  file: YamlFile,
  { apiDomain, minor }: { readonly apiDomain: string; readonly minor: number },
): TracingSettings {
  const known = versions
    .filter(([, since]) => since <= minor)
    .map(([version]) => `apiserver.config.${apiDomain}/${version}`);
  const members = ['endpoint', 'samplingRatePerMillion'];
  const root = file.typed(file.root, { kind: 'TracingConfiguration', versions: known }, members);
  return {
    endpoint: root ? readEndpoint(file, root) : '',
    samplingRatePerMillion: root ? readRate(file, root) : 0,
    trustsPrivileged: minor >= trustsPrivilegedSince,
  };
}

function readRate(file: YamlFile, root: Placed<JsonObject>): number {
  const name = 'samplingRatePerMillion';
  const value = root.value[name] ?? 0;
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    addProblem(file, root, name, 'must be an integer');
    return 0;
  }
  if (value < 0) addInvalid(file, root, name, { value, detail: 'sampling rate must be positive' });
  if (value > million)
    addInvalid(file, root, name, {
      value,
      detail: 'sampling rate per million must be less than or equal to one million',
    });
  return value;
}

/** A name of gRPC (its document "Name resolution"): `host:port`, `dns:` with or without an authority, or a socket. */
function readEndpoint(file: YamlFile, root: Placed<JsonObject>): string {
  const name = 'endpoint';
  const text = file.text(root, name) || usualEndpoint;
  const invalid = (detail: string): string => {
    addInvalid(file, root, name, { value: text, detail });
    return '';
  };
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length).replace(/^\/\//, '');
    return isAbsolute(path) ? `unix://${path}` : invalid('the path of a socket must be absolute');
  }
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1] ?? 'dns';
  if (scheme !== 'dns') return invalid(`unsupported scheme: ${scheme}; give host:port, dns: or unix:`);
  const place = text.replace(/^dns:(?:\/\/[^/]*\/)?/i, '');
  const { host, port = usualPort } = hostAndPort.exec(place)?.groups ?? {};
  if (host === undefined || !URL.canParse(`grpc://${host}:${port}`)) return invalid('must be host:port');
  return `grpc://${host}:${port}`;
}
