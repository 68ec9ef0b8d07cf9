/** Name resolution inside a pod. */
import type { FieldError } from '../../../meta/field-error.ts';
import { invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { dns1123Subdomain } from '../../validation/name-rules.ts';
import { ipAddress } from '../../validation/net.ts';
import { allOf, each, invalidEach } from '../../validation/rules.ts';
import type { PodDNSConfig, PodSpec } from '../v1.types.ts';
import type { PodRights } from './privileged.ts';

const maxNameservers = 3;
/** How long a search list may be; a longer one with feature gate ExpandedDNSConfig (KEP-2595). */
const searchBounds = { count: 6, characters: 256 };
const expandedBounds = { count: 32, characters: 2048 };

export function validateDns(spec: PodSpec, path: FieldPath, rights: PodRights): FieldError[] {
  const at = path.child('dnsConfig');
  const needsServer = spec.dnsPolicy === 'None' && (spec.dnsConfig?.nameservers ?? []).length === 0;
  return allOf(
    needsServer
      ? [
          required(
            at.child('nameservers'),
            'must provide at least one DNS nameserver when `dnsPolicy` is None',
          ),
        ]
      : [],
    spec.dnsConfig == null ? [] : validateConfig(spec.dnsConfig, at, rights),
  );
}

function validateConfig(config: PodDNSConfig, path: FieldPath, rights: PodRights): FieldError[] {
  const servers = config.nameservers ?? [];
  const serversPath = path.child('nameservers');
  return allOf(
    servers.length > maxNameservers
      ? [invalid(serversPath, servers, `must not have more than ${String(maxNameservers)} nameservers`)]
      : [],
    each(servers, serversPath, ipAddress),
    validateSearches(config.searches ?? [], path.child('searches'), rights),
    each(config.options, path.child('options'), (option, at) =>
      option.name ? [] : [required(at, 'must not be empty')],
    ),
  );
}

function validateSearches(
  searches: readonly string[],
  path: FieldPath,
  { isFeatureEnabled }: PodRights,
): FieldError[] {
  const { count, characters } = isFeatureEnabled('ExpandedDNSConfig') ? expandedBounds : searchBounds;
  const isRelaxed = isFeatureEnabled('RelaxedDNSSearchValidation');
  return allOf(
    searches.length > count
      ? [invalid(path, searches, `must not have more than ${String(count)} search paths`)]
      : [],
    searches.join(' ').length > characters
      ? [
          invalid(
            path,
            searches,
            `must not have more than ${String(characters)} characters (including spaces) in the search list`,
          ),
        ]
      : [],
    each(searches, path, (search, at) =>
      invalidEach(
        search,
        at,
        isRelaxed ? relaxedSearch(search) : dns1123Subdomain(search.replace(/\.$/, '')),
      ),
    ),
  );
}

/** The root, or a domain whose labels may have underscores (KEP-4427). */
function relaxedSearch(search: string): string[] {
  return search === '.' ? [] : dns1123Subdomain(search.replace(/\.$/, '').replaceAll('_', 'a'));
}
