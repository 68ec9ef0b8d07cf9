/** Authorization flags → configuration. */
import {
  authorizationModes,
  type AuthorizationConfig,
  type AuthorizationMode,
} from '../server/authorization/config.ts';
import type { Fault } from '../server/faults.ts';
import type { FlagReader } from './flag-reader.ts';

export function authorizationConfig(flags: FlagReader): AuthorizationConfig {
  return {
    modes: modes(flags),
    webhook: {
      configFile: flags.text('authorization-webhook-config-file'),
      version: flags.choice('authorization-webhook-version', ['v1', 'v1beta1']),
      allowedTtlMs: flags.duration('authorization-webhook-cache-authorized-ttl'),
      refusedTtlMs: flags.duration('authorization-webhook-cache-unauthorized-ttl'),
    },
  };
}

function modes(flags: FlagReader): AuthorizationMode[] {
  const words = flags.list('authorization-mode');
  const known = authorizationModes.filter((mode) => words.includes(mode));
  const remedy = `give one or several of ${authorizationModes.join(', ')}, each once`;
  const unknown = words.filter((word) => !known.some((mode) => mode === word));
  for (const word of unknown) flags.add(`flag --authorization-mode names ${JSON.stringify(word)}`, remedy);
  if (new Set(words).size < words.length) flags.add('flag --authorization-mode names a mode twice', remedy);
  if (words.length === 0) flags.add('flag --authorization-mode names no mode', remedy);
  return [...known].sort((a, b) => words.indexOf(a) - words.indexOf(b));
}

/** The webhook's mode and its file mean something only together. */
export function authorizationFaults(flags: FlagReader): Fault[] {
  const isAsked = flags.list('authorization-mode').includes('Webhook');
  const isGiven = flags.isGiven('authorization-webhook-config-file');
  if (isAsked === isGiven) return [];
  const [mode, file] = ['--authorization-mode with Webhook', '--authorization-webhook-config-file'];
  const [given, other] = isAsked ? [mode, file] : [file, mode];
  const cause = `${given} is given without ${other}`;
  return [{ code: 'FLAG_COMBINATION', cause, remedy: `give ${other} too` }];
}
