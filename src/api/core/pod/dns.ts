/** Name resolution inside a pod. */
import type { FieldError } from '../../../meta/field-error.ts';
import { invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { dns1123Subdomain } from '../../validation/name-rules.ts';
import { ipAddress } from '../../validation/net.ts';
import { allOf, each, invalidEach } from '../../validation/rules.ts';
import type { PodDNSConfig, PodSpec } from '../v1.types.ts';

const maxNameservers = 3;
const maxSearches = 6;
const maxSearchCharacters = 256;

export function validateDns(spec: PodSpec, path: FieldPath): FieldError[] {
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
    spec.dnsConfig == null ? [] : validateConfig(spec.dnsConfig, at),
  );
}

function validateConfig(config: PodDNSConfig, path: FieldPath): FieldError[] {
  const servers = config.nameservers ?? [];
  const serversPath = path.child('nameservers');
  return allOf(
    servers.length > maxNameservers
      ? [invalid(serversPath, servers, `must not have more than ${String(maxNameservers)} nameservers`)]
      : [],
    each(servers, serversPath, ipAddress),
    validateSearches(config.searches ?? [], path.child('searches')),
    each(config.options, path.child('options'), (option, at) =>
      option.name ? [] : [required(at, 'must not be empty')],
    ),
  );
}

function validateSearches(searches: readonly string[], path: FieldPath): FieldError[] {
  return allOf(
    searches.length > maxSearches
      ? [invalid(path, searches, `must not have more than ${String(maxSearches)} search paths`)]
      : [],
    searches.join(' ').length > maxSearchCharacters
      ? [
          invalid(
            path,
            searches,
            `must not have more than ${String(maxSearchCharacters)} characters (including spaces) in the search list`,
          ),
        ]
      : [],
    each(searches, path, (search, at) =>
      invalidEach(search, at, dns1123Subdomain(search.replace(/\.$/, ''))),
    ),
  );
}
