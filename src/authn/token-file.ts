/**
 * The static token file (specification, "Static bearer token file"): CSV lines of token, user name, user uid and
 * an optional column of groups. Tokens are kept only as keyed digests, so that neither a memory dump nor the time
 * of a look-up tells anything of them; no message ever holds one.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { UserInfo } from '../meta/user.ts';
import { parseCsv, type CsvFault, type CsvRecord } from './csv.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from './types.ts';

const name = 'token-file';

/** Every fault of a token file, each as `line N: what is wrong`. */
export class TokenFileError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('; '));
    this.name = 'TokenFileError';
    this.faults = faults;
  }
}

/**
 * Reads the text of a token file. A token that is not in it is no rejection: it may be of another kind.
 * @throws TokenFileError with all faults at once
 */
export function createTokenFileAuthenticator(text: string): Authenticator {
  const key = randomBytes(32);
  const digest = (token: string): string => createHmac('sha256', key).update(token).digest('base64');
  const users = readUsers(text, digest);
  return {
    authenticate(request: AuthenticationRequest): AuthenticationResult | undefined {
      const user = request.bearerToken === '' ? undefined : users.get(digest(request.bearerToken));
      return user && { outcome: 'authenticated', user, authenticator: name };
    },
  };
}

function readUsers(text: string, digest: (token: string) => string): Map<string, UserInfo> {
  const { records, faults: csvFaults } = parseCsv(text);
  const faults: CsvFault[] = [...csvFaults];
  const users = new Map<string, UserInfo>();
  const firstLines = new Map<string, number>();
  for (const record of records) {
    const problems = problemsOf(record);
    const token = digest(record.fields[0] ?? '');
    const first = firstLines.get(token);
    if (first !== undefined) problems.push(`the token of line ${String(first)} again`);
    else firstLines.set(token, record.line);
    if (problems.length === 0) users.set(token, userOf(record));
    faults.push(...problems.map((problem) => ({ line: record.line, problem })));
  }
  if (faults.length > 0) throw new TokenFileError(faults.sort(byLine).map(describe));
  return users;
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

function byLine(a: CsvFault, b: CsvFault): number {
  return a.line - b.line;
}

function describe(fault: CsvFault): string {
  return `line ${String(fault.line)}: ${fault.problem}`;
}
