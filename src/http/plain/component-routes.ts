/**
 * `/statusz` and `/flagz`: how the process is doing and how it was started, as text for people, and from release 1.35 on as
 * objects for programs (KEP-4827, KEP-4828).
 */
import type { PassiveClock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { formatSeconds } from '../../meta/time.ts';
import type { Release } from '../../observe/release.ts';
import { sendComponentObject, type ComponentObject } from './component-object.ts';
import type { VersionInfo } from './info-routes.ts';
import type { PlainRoute } from './plain-route.ts';

const component = 'kube-apiserver';
const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for ' +
  'debugging purposes only.';
/** Where more is to be seen, as far as each is served. */
const paths = ['/healthz', '/livez', '/readyz', '/metrics', '/version'];

/** The versions in which each is an object, and their group. */
export type ComponentVersions = Pick<ComponentObject, 'group' | 'versions' | 'deprecated'>;

/** @param apiDomain of the naming profile */
export function componentVersions(apiDomain: string, { minor }: Release): ComponentVersions {
  const group = `config.${apiDomain}`;
  if (minor < 35) return { group, versions: [], deprecated: [] };
  return minor < 36
    ? { group, versions: ['v1alpha1'], deprecated: [] }
    : { group, versions: ['v1beta1', 'v1alpha1'], deprecated: ['v1alpha1'] };
}

export interface StatuszParts {
  readonly clock: PassiveClock;
  readonly version: VersionInfo;
  readonly objects: ComponentVersions;
}

/** The process counts as started when the route is made. */
export function statuszRoute({ clock, version, objects }: StatuszParts): PlainRoute {
  const begun = new Date(clock.now());
  const [started, since] = [begun.toUTCString(), clock.monotonic()];
  const [binaryVersion, emulationVersion] = [
    version.gitVersion.replace(/^v/, ''),
    `${version.major}.${version.minor}`,
  ];
  const object = (upMs: number): JsonObject => ({
    startTime: formatSeconds(begun),
    uptimeSeconds: Math.floor(upMs / 1_000),
    ...{ goVersion: version.goVersion, binaryVersion, emulationVersion, paths },
  });
  const lines = (upMs: number): string[] => [
    `Started: ${started}`,
    `Up: ${upText(upMs)}`,
    `Go version: ${version.goVersion}`,
    `Binary version: ${binaryVersion}`,
    `Emulation version: ${emulationVersion}`,
    `Paths: ${paths.join(' ')}`,
  ];
  return {
    path: '/statusz',
    serve: (context) => {
      const upMs = clock.monotonic() - since;
      sendComponentObject(context, {
        ...{ ...objects, kind: 'Statusz', component, fields: () => object(upMs) },
        text: () => page('statusz', lines(upMs)),
      });
    },
  };
}

/** @param flags every flag with its value; credentials within addresses are left out */
export function flagzRoute(
  flags: Readonly<Record<string, string>>,
  { objects }: Pick<StatuszParts, 'objects'>,
): PlainRoute {
  const shown = Object.entries(flags)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, withoutCredentials(value)] as const);
  const text = page(
    'flagz',
    shown.map(([name, value]) => `${name}=${value}`),
  );
  return {
    path: '/flagz',
    serve: (context) => {
      sendComponentObject(context, {
        ...{ ...objects, kind: 'Flagz', component },
        fields: () => ({ flags: Object.fromEntries(shown) }),
        text: () => text,
      });
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
