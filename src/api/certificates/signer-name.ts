/** Names of signers. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { dns1123Subdomain } from '../validation/name-rules.ts';

const signerMaxLength = 571;
const signerPath =
  /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?(?:\/[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)*$/;

/** `example.com/signer`. */
export function validateSigner(name: string, at: FieldPath): FieldError[] {
  const slash = name.indexOf('/');
  if (slash < 0)
    return [
      invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  const domain = name.slice(0, slash);
  return [
    ...dns1123Subdomain(domain).map((message) => invalid(at, name, message)),
    ...(domain.includes('.')
      ? []
      : [invalid(at, name, 'should be a domain with at least two segments separated by dots')]),
    ...(signerPath.test(name.slice(slash + 1))
      ? []
      : [invalid(at, name, 'the path of a signer is made of names and slashes')]),
    ...(name.length > signerMaxLength
      ? [invalid(at, name, `must be no more than ${String(signerMaxLength)} characters`)]
      : []),
  ];
}

/** Whether the signer is one of the platform itself: of its own domain, or of one below. */
export function isOwnSigner(name: string, labelDomain: string): boolean {
  const [domain = ''] = name.split('/', 1);
  return domain === labelDomain || domain.endsWith(`.${labelDomain}`);
}
