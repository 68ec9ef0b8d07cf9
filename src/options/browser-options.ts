/** Flags of what browsers are told, and of the address that clients are told. */
import type { BrowserPolicy } from '../http/browser-rules.ts';
import { patternOf } from '../schema/structural/pattern.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const browserFlags = [
  {
    name: 'cors-allowed-origins',
    value: 'PATTERNS',
    default: '',
    description:
      'Origins whose scripts may use the API in a browser: regular expressions (RE2) that match anywhere in the Origin header, comma-separated. Use ^ and $ for whole origins. If empty, CORS is disabled.',
    repeatable: true,
  },
  {
    name: 'external-hostname',
    value: 'HOST',
    default: '',
    description:
      'The host name by which clients reach the service; shown in discovery (/api). If empty, the Host of each request.',
  },
  {
    name: 'strict-transport-security-directives',
    value: 'DIRECTIVES',
    default: '',
    description:
      'Directives of the header Strict-Transport-Security, comma-separated: max-age=SECONDS, includeSubDomains, preload. If empty, the header is not sent.',
    repeatable: true,
  },
] as const satisfies readonly FlagDefinition[];

export interface BrowserConfig {
  readonly browsers: BrowserPolicy;
  /** '' if clients are told the host that they used. */
  readonly externalHostname: string;
}

export function readBrowsers(texts: FlagValues, errors: FlagErrors): BrowserConfig {
  const flags = new FlagReader(browserFlags, texts, errors);
  const host = flags.text('external-hostname');
  if (host !== '' && !/^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$/.test(host))
    flags.invalid('external-hostname', 'give a host name such as api.example.com');
  return {
    browsers: { allowedOrigins: readOrigins(flags), strictTransportSecurity: readDirectives(flags) },
    externalHostname: host,
  };
}

type Reader = FlagReader<(typeof browserFlags)[number]['name']>;

function readOrigins(flags: Reader): string[] {
  const patterns = flags.list('cors-allowed-origins');
  const wrong = patterns.filter((text) => !patternOf(text));
  if (wrong.length > 0)
    flags.add(
      `flag --cors-allowed-origins has ${wrong.map((text) => JSON.stringify(text)).join(', ')}`,
      'write regular expressions of RE2, such as ^https://.*[.]example[.]com$',
    );
  return patterns.filter((text) => !wrong.includes(text));
}

function readDirectives(flags: Reader): string[] {
  const directives = flags.list('strict-transport-security-directives');
  const isKnown = (text: string): boolean => /^(?:max-age=\d{1,12}|includeSubDomains|preload)$/i.test(text);
  if (!directives.every(isKnown))
    flags.invalid('strict-transport-security-directives', 'use max-age=SECONDS, includeSubDomains, preload');
  return directives.filter(isKnown);
}
