/** Secrets of bootstrap tokens, as controllers see them. */
import type { ApiObject } from '../../meta/object.ts';
import { expandNames, systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import { instantOf } from '../../meta/time.ts';
import { secrets } from '../core-resources.ts';
import type { ReflectorOptions } from '../reflector.ts';
import type { ControllerContext } from '../types.ts';

export interface BootstrapControllerOptions extends ControllerContext {
  readonly naming: NamingProfile;
}

/** Reflects the Secrets of bootstrap tokens alone. */
export function tokenSecrets(naming: NamingProfile): Pick<ReflectorOptions, 'resource' | 'fieldSelector'> {
  const fieldSelector = `metadata.namespace=${systemNamespace(naming)},type=${tokenType(naming)}`;
  return { resource: secrets, fieldSelector };
}

export function tokenType(naming: NamingProfile): string {
  return expandNames('bootstrap.{label}/token', naming);
}

/** The value of a key as text; '' when there is none. */
export function valueOf(secret: ApiObject, key: string): string {
  const data = (secret['data'] ?? {}) as Record<string, string>;
  return Object.hasOwn(data, key) ? Buffer.from(data[key] ?? '', 'base64').toString('utf8') : '';
}

/** When the token ends; Infinity for never, and what cannot be read has ended. */
export function endOf(secret: ApiObject): number {
  const expiration = valueOf(secret, 'expiration');
  if (expiration === '') return Infinity;
  const at = instantOf(expiration);
  return Number.isNaN(at) ? -Infinity : at;
}

/** Timers reach no further than 24 days. */
const longestWaitMs = 86_400_000;

/** How long to wait for a moment before looking again; undefined for never. */
export function waitFor(moment: number, now: number): number | undefined {
  return moment === Infinity ? undefined : Math.max(0, Math.min(moment - now, longestWaitMs));
}
