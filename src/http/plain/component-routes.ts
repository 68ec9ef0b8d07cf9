/** `/statusz` and `/flagz`: how the process is doing and how it was started, as text for people (KEP-4827, KEP-4828). */
import type { PassiveClock } from '../../base/clock.ts';
import { sendText } from '../respond.ts';
import type { VersionInfo } from './info-routes.ts';
import type { PlainRoute } from './plain-route.ts';

const component = 'kube-apiserver';
const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for ' +
  'debugging purposes only.';
/** Where more is to be seen, as far as each is served. */
const paths = '/healthz /livez /readyz /metrics /version';

export interface StatuszParts {
  readonly clock: PassiveClock;
  readonly version: VersionInfo;
}

/** The process counts as started when the route is made. */
export function statuszRoute({ clock, version }: StatuszParts): PlainRoute {
  const [started, since] = [new Date(clock.now()).toUTCString(), clock.monotonic()];
  const lines = (upMs: number): string[] => [
    `Started: ${started}`,
    `Up: ${upText(upMs)}`,
    `Go version: ${version.goVersion}`,
    `Binary version: ${version.gitVersion.replace(/^v/, '')}`,
    `Emulation version: ${version.major}.${version.minor}`,
    `Paths: ${paths}`,
  ];
  return {
    path: '/statusz',
    serve: (context) => {
      sendText(context, 200, page('statusz', lines(clock.monotonic() - since)));
    },
  };
}

/** @param flags every flag with its value; credentials within addresses are left out */
export function flagzRoute(flags: Readonly<Record<string, string>>): PlainRoute {
  const lines = Object.entries(flags)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${withoutCredentials(value)}`);
  const text = page('flagz', lines);
  return {
    path: '/flagz',
    serve: (context) => {
      sendText(context, 200, text);
    },
  };
}

function page(name: string, lines: readonly string[]): string {
  return `\n${component} ${name === 'flagz' ? 'flags' : name}\n${warning}\n\n${lines.join('\n')}\n`;
}

function withoutCredentials(value: string): string {
  return value.replaceAll(/\/\/[^/@\s,]*@/g, '//CLASSIFIED@');
}

function upText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3_600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
