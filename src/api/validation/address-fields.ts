/**
 * Fields with addresses and blocks of addresses that are older than the strict form of their texts (KEP-4858): since release
 * 1.33 clients are warned of other forms, and feature gate StrictIPCIDRValidation refuses them where a write brings them.
 */
import { canonicalAddress, isMapped, isWritten, parseAddress, shortestIpv6 } from '../../base/ip-address.ts';
import { blockText, isWrittenBlock, parseBlock, singleBlockText } from '../../base/ip-block.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { isSince } from '../since.ts';
import type { ApiContext } from '../types.ts';
import type { Maybe } from './rules.ts';

export interface AddressField {
  readonly path: FieldPath;
  readonly value: string;
  readonly form: 'ip' | 'cidr';
}

/** One that has many addresses is not looked through to its end for warnings, of which few are told. */
const mostWarned = 1000;

/** The fields of a list of texts; those that are empty are none. */
export function addressFields(
  values: Maybe<readonly Maybe<string>[]>,
  path: FieldPath,
  form: AddressField['form'] = 'ip',
): AddressField[] {
  return (values ?? []).flatMap((value, i) => addressField(value, path.index(i), form));
}

/** The field of one text, if it is not empty. */
export function addressField(
  value: Maybe<string>,
  path: FieldPath,
  form: AddressField['form'] = 'ip',
): AddressField[] {
  return value ? [{ path, value, form }] : [];
}

/**
 * Errors of forms that are no longer allowed, with the gate. What cannot be read at all is left to the rules of the kind.
 * @param before fields of the stored object: what they have is not judged anew
 */
export function strictAddressErrors(
  fields: readonly AddressField[],
  before: readonly AddressField[],
  { isFeatureEnabled }: ApiContext,
): FieldError[] {
  if (fields.length === 0 || !isFeatureEnabled('StrictIPCIDRValidation')) return [];
  const known = new Set(before.map(({ value }) => value));
  return fields.flatMap(({ path, value, form }) => {
    const problem = known.has(value) ? undefined : form === 'ip' ? ipProblem(value) : blockProblem(value);
    return problem === undefined ? [] : [invalid(path, value, problem)];
  });
}

function ipProblem(value: string): string | undefined {
  if (isMapped(value)) return 'must not be an IPv4-mapped IPv6 address';
  return isWritten(value) || parseAddress(value) === undefined ? undefined : 'must not have leading 0s';
}

function blockProblem(value: string): string | undefined {
  const block = parseBlock(value);
  if (!block) return undefined;
  if (!isWrittenBlock(value)) return 'must not have leading 0s in IP or prefix length';
  if (isMapped(value.split('/')[0] ?? '')) return 'must not have an IPv4-mapped IPv6 address';
  return block.network === block.address.number
    ? undefined
    : 'must not have bits set beyond the prefix length';
}

/** What clients are told about the forms of addresses, from release 1.33 on. */
export function addressWarnings(fields: readonly AddressField[], context: ApiContext): string[] {
  if (fields.length === 0 || !isSince(context, 33)) return [];
  return fields
    .slice(0, mostWarned)
    .flatMap(({ path, value, form }) =>
      (form === 'ip' ? ipWarnings(value) : blockWarnings(value)).map((text) => `${String(path)}: ${text}`),
    );
}

function ipWarnings(value: string): string[] {
  const usual = isWritten(value) && !value.includes(':') ? value : canonicalAddress(value);
  if (usual === undefined || usual === value) return [];
  return isWritten(value) && !isMapped(value)
    ? [
        `IPv6 address ${quoted(value)} should be in RFC 5952 canonical format (${quoted(shortestIpv6(value))})`,
      ]
    : [
        `non-standard IP address ${quoted(value)} will be considered invalid in a future Kubernetes release: use ${quoted(usual)}`,
      ];
}

function blockWarnings(value: string): string[] {
  const block = parseBlock(value);
  if (!block) return [];
  const usual = blockText(block);
  const isAmbiguous = block.network !== block.address.number;
  const isOld = !isWrittenBlock(value) || isMapped(value.split('/')[0] ?? '');
  if (!isAmbiguous && !isOld && usual !== value)
    return [`IPv6 CIDR value ${quoted(value)} should be in RFC 5952 canonical format (${quoted(usual)})`];
  return [
    ...(isAmbiguous
      ? [
          `CIDR value ${quoted(value)} is ambiguous in this context (should be ${quoted(usual)} or ${quoted(singleBlockText(block))}?)`,
        ]
      : []),
    ...(isOld
      ? [
          `non-standard CIDR value ${quoted(value)} will be considered invalid in a future Kubernetes release: use ${quoted(usual)}`,
        ]
      : []),
  ];
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
