/** `authorizer` of expressions about one write: it asks the authorizers of requests about the user of the write, each question once. */
import type { AuthorizerInput } from '../../cel/admission/environment.ts';
import type { AuthorizationAnswer, AuthorizationQuestion } from '../../cel/library/authorizer.ts';
import { messageOf } from '../../base/errors.ts';
import { AwaitedAnswer } from '../../cel/language/errors.ts';
import { accountUser, type UserInfo } from '../../meta/user.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { AccessAnswer, AccessDecider } from '../access-checker.ts';

export function authorizerOf(access: AccessDecider, { scope, name }: AdmissionAttributes): AuthorizerInput {
  const { gvr } = scope.resource;
  const answers = new Answers(access, scope.user);
  return {
    decide: (question) => answers.to(question),
    resource: {
      ...{ group: gvr.group, resource: gvr.resource, subresource: scope.subresource },
      ...{ namespace: scope.namespace, name },
    },
  };
}

class Answers {
  private readonly access: AccessDecider;
  private readonly user: UserInfo;
  private readonly known = new Map<string, AuthorizationAnswer>();

  constructor(access: AccessDecider, user: UserInfo) {
    this.access = access;
    this.user = user;
  }

  /** @throws AwaitedAnswer where an authorizer has to be waited for */
  to(question: AuthorizationQuestion): AuthorizationAnswer {
    const key = JSON.stringify(question);
    const known = this.known.get(key);
    if (known) return known;
    const answer = this.access.decide(this.userOf(question), question);
    if (!(answer instanceof Promise)) return this.learn(key, answer);
    throw new AwaitedAnswer(
      answer.then(
        (given) => this.learn(key, given),
        // A check without an answer allows nothing.
        (error: unknown) => this.learn(key, { isAllowed: false, reason: '', error: messageOf(error) }),
      ),
    );
  }

  private userOf({ account }: AuthorizationQuestion): UserInfo {
    return account ? accountUser(account.namespace, account.name) : this.user;
  }

  private learn(key: string, { isAllowed, reason, error = '' }: AccessAnswer): AuthorizationAnswer {
    const answer = { isAllowed, reason, error };
    this.known.set(key, answer);
    return answer;
  }
}
