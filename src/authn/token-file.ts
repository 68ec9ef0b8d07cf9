/**
 * The static token file (`--token-auth-file`): CSV lines of token, user name, user uid and an optional column of
 * groups. The authenticator compares keyed digests, so that the time of a look-up reveals nothing about tokens; no
 * message ever contains one.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { FileError } from '../base/file-error.ts';
import type { UserInfo } from '../meta/user.ts';
import { mostCsvErrors, parseCsv, type CsvError, type CsvRecord } from './csv.ts';
import { Accounts, type PackedAccounts } from './packed-accounts.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from './types.ts';

const name = 'token-file';

/** A line of the file. Plain data. */
export interface StaticToken {
  readonly token: string;
  readonly user: UserInfo;
}

/** Reads the text of a token file. @throws FileError with all errors at once, none of which holds a token */
export function parseTokenFile(text: string): StaticToken[] {
  const errors: CsvError[] = [];
  const tokens: StaticToken[] = [];
  const firstLines = new Map<string, number>();
  const take = (record: CsvRecord): boolean => {
    const problems = problemsOf(record);
    const [token = ''] = record.fields;
    const first = firstLines.get(token);
    if (first !== undefined) problems.push(`the token of line ${String(first)} again`);
    else firstLines.set(token, record.line);
    if (problems.length === 0) tokens.push({ token, user: userOf(record) });
    errors.push(...problems.map((problem) => ({ line: record.line, problem })));
    return errors.length < mostCsvErrors;
  };
  for (const error of parseCsv(text, take).errors) errors.push(error);
  if (errors.length > 0) throw new FileError(errors.sort(byLine).map(describe));
  return tokens;
}

/** Knows the tokens of a file. One that is not among them is no rejection: it may be of another kind. */
export class TokenFileAuthenticator implements Authenticator {
  readonly #key = randomBytes(32);
  readonly #users: Accounts<StaticToken, UserInfo>;

  constructor(tokens: PackedAccounts) {
    this.#users = new Accounts(tokens, ({ token, user }) => [this.#digest(token), user]);
  }

  authenticate({ bearerToken }: AuthenticationRequest): AuthenticationResult | undefined {
    const user = bearerToken === '' ? undefined : this.#users.get(this.#digest(bearerToken));
    return user && { outcome: 'authenticated', user, authenticator: name };
  }

  /** Resolves when these tokens are known, and no others. */
  use(tokens: PackedAccounts): Promise<void> {
    return this.#users.use(tokens);
  }

  #digest(token: string): string {
    return createHmac('sha256', this.#key).update(token).digest('base64');
  }
}

function problemsOf({ fields }: CsvRecord): string[] {
  const [token = '', user = ''] = fields;
  const problems: string[] = [];
  if (fields.length < 3) problems.push('needs at least three columns: token, user name, user uid');
  if (fields.length > 4) problems.push('has more than four columns; put several groups in quotes: "a,b"');
  if (token === '') problems.push('the token is empty');
  else if (!/^[\x21-\x7e]+$/.test(token))
    problems.push('the token has characters that a header cannot carry');
  if (fields.length > 1 && user.trim() === '') problems.push('the user name is empty');
  return problems;
}

function userOf({ fields }: CsvRecord): UserInfo {
  const [, user = '', uid = '', groups = ''] = fields;
  const names = groups.split(',').map((group) => group.trim());
  return { name: user.trim(), uid: uid.trim(), groups: [...new Set(names.filter(Boolean))], extra: {} };
}

function byLine(a: CsvError, b: CsvError): number {
  return a.line - b.line;
}

function describe(error: CsvError): string {
  return `line ${String(error.line)}: ${error.problem}`;
}
