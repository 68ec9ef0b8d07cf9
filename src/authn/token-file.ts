/**
 * The static token file (`--token-auth-file`): CSV lines of token, user name, user uid and an optional column of
 * groups. The authenticator compares keyed digests, so that the time of a look-up reveals nothing about tokens; no
 * message ever contains one.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { Slice } from '../base/cooperate.ts';
import { FileError } from '../base/file-error.ts';
import type { UserInfo } from '../meta/user.ts';
import { mostCsvErrors, parseCsv, type CsvError, type CsvRecord } from './csv.ts';
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

/**
 * Tokens as one text, JSON line by line: a process is sent thousands of them in a copy of bytes, and reads them in slices,
 * where as many objects would hold its thread while they arrive.
 */
export type PackedTokens = string;

export function packTokens(tokens: readonly StaticToken[]): PackedTokens {
  return tokens.map((token) => `${JSON.stringify(token)}\n`).join('');
}

/** So many tokens are read between two looks at the time. */
const perLook = 64;

/** Knows the tokens of a file, which may be replaced. One that is not among them is no rejection: it may be of another kind. */
export class TokenFileAuthenticator implements Authenticator {
  readonly #key = randomBytes(32);
  #tokens: PackedTokens;
  #users: ReadonlyMap<string, UserInfo>;

  constructor(tokens: PackedTokens) {
    this.#tokens = tokens;
    const users = new Map<string, UserInfo>();
    for (let at = 0; at < tokens.length;) at = this.#read(tokens, at, users);
    this.#users = users;
  }

  authenticate({ bearerToken }: AuthenticationRequest): AuthenticationResult | undefined {
    const user = bearerToken === '' ? undefined : this.#users.get(this.#digest(bearerToken));
    return user && { outcome: 'authenticated', user, authenticator: name };
  }

  /**
   * Knows these tokens, and no others, once it has read them: at once if they are few, thousands in slices. Of several
   * calls the last one counts.
   */
  async use(tokens: PackedTokens): Promise<void> {
    if (tokens === this.#tokens) return;
    this.#tokens = tokens;
    const users = new Map<string, UserInfo>();
    const slice = new Slice();
    for (let [at, read] = [0, 1]; at < tokens.length; read++) {
      at = this.#read(tokens, at, users);
      if (read % perLook === 0 && slice.shouldYield()) await slice.yieldNow();
      if (this.#tokens !== tokens) return;
    }
    this.#users = users;
  }

  /** Reads the token that begins there. @returns where the next one does */
  #read(tokens: PackedTokens, at: number, users: Map<string, UserInfo>): number {
    const end = tokens.indexOf('\n', at);
    const { token, user } = JSON.parse(tokens.slice(at, end)) as StaticToken;
    users.set(this.#digest(token), user);
    return end + 1;
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
