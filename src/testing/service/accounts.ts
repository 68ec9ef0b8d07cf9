/** Who may use a testing service: its administrator, known by a token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { StatusError } from '../../meta/status.ts';
import type { Kubeconfig } from '../../pki/kubeconfig.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { ControlPlaneUser } from '../options.ts';

/** May do everything, also in the API (the group of administrators, which no policy can take away). */
export const administrator: ControlPlaneUser = { name: 'testing-admin', groups: ['system:masters'] };

/** What a test needs to know of a control plane. */
export interface Access {
  /** Of the API. */
  readonly url: string;
  /** Below it are the paths of this control plane, such as `/reset`. */
  readonly testing: string;
  /** Of the authority of both, PEM. */
  readonly ca: string;
  /** Of the administrator, for both. */
  readonly token: string;
  /** Of the administrator; JSON is YAML, too. */
  readonly kubeconfig: Kubeconfig;
}

const advice = 'give the token of the ready document';

/** Digests of the tokens of users, and whether they are of administrators. */
export type Accounts = Map<string, boolean>;

/** Takes note of a user that the control plane knows. @returns its token */
export function note(
  accounts: Accounts,
  plane: ControlPlane,
  { name, groups = [] }: ControlPlaneUser,
): string {
  const token = plane.kubeconfig(name).users[0]?.user['token'] ?? '';
  accounts.set(digestOf(token), groups.includes('system:masters'));
  return token;
}

/** Adds a user to a control plane. @returns the kubeconfig of that user */
export async function addUser(
  accounts: Accounts,
  plane: ControlPlane,
  user: ControlPlaneUser,
): Promise<{ readonly token: string; readonly kubeconfig: Kubeconfig }> {
  await plane.addUser(user);
  return { token: note(accounts, plane, user), kubeconfig: plane.kubeconfig(user.name) };
}

export function accessTo(accounts: Accounts, plane: ControlPlane, testing: string): Access {
  const token = note(accounts, plane, administrator);
  return { url: plane.url, testing, ca: plane.ca, token, kubeconfig: plane.kubeconfig(administrator.name) };
}

/** @throws StatusError 401 without the token of a user, 403 with one of a user that is no administrator */
export function authorize(accounts: Accounts, header: string | undefined): void {
  const [, token] = /^Bearer (\S+)$/i.exec(header ?? '') ?? [];
  if (token === undefined) throw unknownToken();
  const given = Buffer.from(digestOf(token));
  const known = [...accounts].find(([digest]) => timingSafeEqual(Buffer.from(digest), given));
  if (known === undefined) throw unknownToken();
  const [, isAdministrator] = known;
  if (!isAdministrator)
    throw new StatusError(403, 'Forbidden', `only the administrator may use paths below /testing: ${advice}`);
}

function unknownToken(): StatusError {
  return new StatusError(401, 'Unauthorized', `${advice}: Authorization: Bearer <token>`);
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
