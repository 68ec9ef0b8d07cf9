/**
 * HTTP basic authentication against a file of passwords (`--basic-auth-file`): CSV lines of password, user name, user
 * uid and an optional column of groups. The authenticator compares keyed digests; an unknown user takes as long as a
 * wrong password.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { UserInfo } from '../meta/user.ts';
import { mostCsvErrors, parseCsv, type CsvError, type CsvRecord } from './csv.ts';
import { FileError } from '../base/file-error.ts';
import { Accounts, type PackedAccounts } from './packed-accounts.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from './types.ts';

const name = 'basic';
const scheme = /^basic +([A-Za-z0-9+/]+={0,2})\s*$/i;

/** A line of the file. Plain data. */
export interface StaticPassword {
  readonly password: string;
  readonly user: UserInfo;
}

interface Account {
  readonly digest: Buffer;
  /** Undefined if no user has this account. */
  readonly user: UserInfo | undefined;
}

export class BasicAuthenticator implements Authenticator {
  readonly #key = randomBytes(32);
  readonly #accounts: Accounts<StaticPassword, Account>;
  readonly #unknown: Account = { digest: randomBytes(32), user: undefined };

  constructor(passwords: PackedAccounts) {
    this.#accounts = new Accounts(passwords, ({ password, user }) => [
      user.name,
      { digest: this.#digest(password), user },
    ]);
  }

  authenticate({ headers }: AuthenticationRequest): AuthenticationResult | undefined {
    const given = credentialsOf(headers['authorization']);
    if (!given) return undefined;
    const { digest: expected, user } = this.#accounts.get(given.username) ?? this.#unknown;
    const isRight = timingSafeEqual(expected, this.#digest(given.password));
    if (!isRight || !user)
      return { outcome: 'rejected', authenticator: name, reason: 'unknown user or wrong password' };
    return { outcome: 'authenticated', user, authenticator: name };
  }

  /** Resolves when these passwords are known, and no others. */
  use(passwords: PackedAccounts): Promise<void> {
    return this.#accounts.use(passwords);
  }

  #digest(password: string): Buffer {
    return createHmac('sha256', this.#key).update(password).digest();
  }
}

/** The name ends at the first colon; the password may have more of them. */
function credentialsOf(
  header: string | readonly string[] | undefined,
): { username: string; password: string } | undefined {
  const [, encoded] = typeof header === 'string' ? (scheme.exec(header.trim()) ?? []) : [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Reads the text of a password file. @throws FileError with all errors at once, none of which holds a password */
export function parsePasswordFile(text: string): StaticPassword[] {
  const errors: CsvError[] = [];
  const passwords: StaticPassword[] = [];
  const firstLines = new Map<string, number>();
  const take = (record: CsvRecord): boolean => {
    const [password = '', username = ''] = record.fields;
    const user = username.trim();
    const problems = problemsOf(record);
    const first = firstLines.get(user);
    if (first !== undefined && user !== '') problems.push(`the user of line ${String(first)} again`);
    else firstLines.set(user, record.line);
    if (problems.length === 0) passwords.push({ password, user: userOf(record) });
    errors.push(...problems.map((problem) => ({ line: record.line, problem })));
    return errors.length < mostCsvErrors;
  };
  for (const error of parseCsv(text, take).errors) errors.push(error);
  if (errors.length > 0) {
    const inOrder = errors.sort((a, b) => a.line - b.line);
    throw new FileError(inOrder.map(({ line, problem }) => `line ${String(line)}: ${problem}`));
  }
  return passwords;
}

function problemsOf({ fields }: CsvRecord): string[] {
  const [password = '', username = ''] = fields;
  const problems: string[] = [];
  if (fields.length < 3) problems.push('needs at least three columns: password, user name, user uid');
  if (fields.length > 4) problems.push('has more than four columns; put several groups in quotes: "a,b"');
  if (password === '') problems.push('the password is empty');
  if (fields.length > 1 && username.trim() === '') problems.push('the user name is empty');
  if (username.includes(':'))
    problems.push('the user name has a colon, which basic authentication cannot carry');
  return problems;
}

function userOf({ fields }: CsvRecord): UserInfo {
  const [, user = '', uid = '', groups = ''] = fields;
  const names = groups.split(',').map((group) => group.trim());
  return { name: user.trim(), uid: uid.trim(), groups: [...new Set(names.filter(Boolean))], extra: {} };
}
