/** What a signer may answer to the request of a pod: a certificate that fits it, or that there is none. */
import { X509Certificate } from 'node:crypto';
import { formatDuration } from '../../base/duration.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { errorsOf, invalid, notSupported, required, tooLong } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { instantOf } from '../../meta/time.ts';
import type { Stored } from '../define.ts';
import type { Condition } from '../meta/v1.types.ts';
import type { ApiContext } from '../types.ts';
import { each, need, sameMeaning } from '../validation/rules.ts';
import { validateConditions } from '../validation/validate-conditions.ts';
import { pemBlocks } from './pem.ts';
import { requestedKey } from './possession.ts';
import type {
  PodCertificateRequest as RequestFields,
  PodCertificateRequestStatus as Status,
} from './v1beta1.types.ts';

type PodCertificateRequest = Stored<RequestFields>;

/** The conditions that end a request. */
export const outcomes = ['Issued', 'Denied', 'Failed'];

const path = FieldPath.of('status');
const chainPath = path.child('certificateChain');
const maxChain = 100 * 1024;
const maxMessage = 32_768;
const minute = 60_000;
const reasonSyntax = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/** The errors of a new status: the first step that finds some ends the search. */
export function validateIssue(
  next: PodCertificateRequest,
  current: PodCertificateRequest,
  { now }: ApiContext,
): FieldError[] {
  const status = next.status ?? {};
  const wrong = outcomeErrors(status.conditions ?? []);
  if (wrong.length > 0) return wrong;
  const before = current.status ?? {};
  if (outcomeOf(before) !== undefined)
    return onlyIf(
      sameMeaning(status, before),
      status,
      'immutable after PodCertificateRequest is issued, denied, or failed',
    );
  const outcome = outcomeOf(status);
  if (outcome === 'Issued') return certificateErrors(next, now().getTime());
  if (outcome !== undefined)
    return onlyIf(
      sameMeaning(status, { conditions: status.conditions }),
      status,
      'non-condition status fields must be empty when denying or failing the PodCertificateRequest',
    );
  return onlyIf(
    sameMeaning(status, before),
    status,
    'status is immutable unless transitioning to "Issued", "Denied", or "Failed"',
  );
}

function onlyIf(isRight: boolean, status: Status, detail: string): FieldError[] {
  return isRight ? [] : [invalid(path, status, detail)];
}

function outcomeOf({ conditions }: Status): string | undefined {
  return (conditions ?? []).find(({ status }) => status === 'True')?.type;
}

function outcomeErrors(conditions: readonly Condition[]): FieldError[] {
  const at = path.child('conditions');
  const first = conditions.findIndex(({ type = '' }) => outcomes.includes(type));
  const once = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
  return [
    ...errorsOf(conditions, ({ type = '', status = '' }, i) => {
      const typePath = at.index(i).child('type');
      if (!outcomes.includes(type)) return [notSupported(typePath, type, outcomes)];
      return [
        ...(i > first ? [invalid(typePath, type, once)] : []),
        ...(status === 'True' ? [] : [notSupported(at.index(i).child('status'), status, ['True'])]),
      ];
    }),
    ...validateConditions(conditions, at),
    ...each(conditions, at, conditionTextErrors),
  ];
}

function conditionTextErrors(
  { lastTransitionTime, reason, message = '' }: Condition,
  at: FieldPath,
): FieldError[] {
  return [
    ...(lastTransitionTime ? [] : [required(at.child('lastTransitionTime'), 'must be set')]),
    ...need(reason, at.child('reason'), (text, p) =>
      reasonSyntax.test(text)
        ? []
        : [invalid(p, text, 'must begin with a letter and hold letters, digits, and any of _ , :')],
    ),
    ...(Buffer.byteLength(message) > maxMessage ? [tooLong(at.child('message'), maxMessage)] : []),
  ];
}

function certificateErrors(request: PodCertificateRequest, now: number): FieldError[] {
  const status = request.status ?? {};
  const chain = status.certificateChain ?? '';
  if (Buffer.byteLength(chain) > maxChain) return [tooLong(chainPath, maxChain)];
  const wrong = (detail: string): FieldError[] => [invalid(chainPath, chain, detail)];
  const [first, ...others] = pemBlocks(chain);
  if (!first) return wrong('issued certificate chain must contain at least one certificate');
  if ([first, ...others].some(({ type }) => type !== 'CERTIFICATE'))
    return wrong('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
  const leaf = certificateOf(first.bytes);
  if (!leaf) return wrong('leaf certificate does not parse as valid X.509');
  const key = requestedKey(request.spec ?? {});
  const named = nameErrors(leaf.subjectAltName ?? '');
  if (!key?.equals(leaf.publicKey))
    return [...named, ...wrong('leaf certificate was not issued to the requested public key')];
  const timed = [...named, ...timeErrors(request, leaf, now)];
  if (timed.length > 0) return timed;
  return others.every(({ bytes }) => certificateOf(bytes) !== undefined)
    ? []
    : wrong('intermediate certificate does not parse as valid X.509');
}

function certificateOf(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

/** Names that some programs read and others do not. */
function nameErrors(alternatives: string): FieldError[] {
  const found = alternatives.matchAll(/(?:^|, )(DNS|email):("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return errorsOf(found, ([, kind, text = '']) => {
    const name = text.startsWith('"') ? (JSON.parse(text) as string) : text;
    const detail = kind === 'DNS' ? dnsProblem(name) : mailProblem(name);
    return detail === undefined ? [] : [invalid(chainPath, name, detail)];
  });
}

function dnsProblem(name: string): string | undefined {
  if (name === '') return 'leaf certificate should not contain empty DNSName';
  if (name.includes('..')) return "leaf certificate's DNSName should not contain '..'";
  return name.startsWith('.') || name.endsWith('.')
    ? "leaf certificate's DNSName should not start or end with '.'"
    : undefined;
}

function mailProblem(address: string): string | undefined {
  return /^[^\s@<>]+@[^\s@<>]+$/.test(address)
    ? undefined
    : 'leaf certificate should not contain invalid EmailAddress';
}

function missingTimes(status: Status): FieldError[] {
  const consistent = 'must be present and consistent with the issued certificate';
  return [
    ...(status.notBefore ? [] : [required(path.child('notBefore'), consistent)]),
    ...(status.notAfter ? [] : [required(path.child('notAfter'), consistent)]),
    ...(status.beginRefreshAt
      ? []
      : [
          required(
            path.child('beginRefreshAt'),
            'must be present and in the range [notbefore+10min, notafter-10min]',
          ),
        ]),
  ];
}

function timeErrors(
  { spec = {}, status = {} }: PodCertificateRequest,
  { validFromDate, validToDate }: X509Certificate,
  now: number,
): FieldError[] {
  const missing = missingTimes(status);
  if (missing.length > 0) return missing;
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  const wrong = (field: keyof Status, detail: string): FieldError[] => [
    invalid(path.child(field), status[field], detail),
  ];
  const refresh = instantOf(status.beginRefreshAt ?? '');
  if (instantOf(status.notBefore ?? '') !== from)
    return wrong('notBefore', 'must be set to the NotBefore time encoded in the leaf certificate');
  if (Math.abs(from - now) > 5 * minute)
    return wrong('notBefore', "must be set to within 5 minutes of kube-apiserver's current time");
  if (instantOf(status.notAfter ?? '') !== to)
    return wrong('notAfter', 'must be set to the NotAfter time encoded in the leaf certificate');
  const lived = lifetimeErrors(to - from, spec.maxExpirationSeconds ?? 0);
  if (lived.length > 0) return lived;
  if (refresh < from + 10 * minute)
    return wrong('beginRefreshAt', 'must be at least 10 minutes after status.notBefore');
  return refresh > to - 10 * minute
    ? wrong('beginRefreshAt', 'must be at least 10 minutes before status.notAfter')
    : [];
}

function lifetimeErrors(lifetime: number, maxSeconds: number): FieldError[] {
  const shown = formatDuration(BigInt(lifetime) * 1_000_000n);
  if (lifetime < 60 * minute)
    return [invalid(chainPath, shown, 'leaf certificate lifetime must be >= 1 hour')];
  const detail = `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${String(maxSeconds)})`;
  return lifetime > maxSeconds * 1000 ? [invalid(chainPath, shown, detail)] : [];
}
