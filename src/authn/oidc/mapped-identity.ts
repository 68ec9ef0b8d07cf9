/** The user that the claims of a token stand for by the rules of its issuer (`--authentication-config`). */
import { claimsValues, userValues } from '../../cel/access/environments.ts';
import { type EvaluationBudget } from '../../cel/admission/evaluation-budget.ts';
import { EvaluationTurns } from '../../cel/evaluation-turns.ts';
import type { CelValue } from '../../cel/language/values.ts';
import { getOwn, setOwn, type JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { UserInfo } from '../../meta/user.ts';
import { textsClaim } from '../jwt.ts';
import { IssuerExpressions, textsOf, tokenBudget } from './claim-expressions.ts';
import type { ClaimMapping, ClaimRule, ExtraMapping, IssuerRules } from './issuer-rules.ts';

/** Gives the user, or what is wrong with the claims. */
export type Identify = (claims: JsonObject) => MaybePromise<UserInfo | string>;

/** @param minor of the release whose libraries the expressions may use */
export function identityByRules(rules: IssuerRules, minor: number): Identify {
  const expressions = new IssuerExpressions(minor);
  return (claims) => new Mapping(rules, claims, expressions).user();
}

/** A problem that ends the mapping. */
class Unmapped extends Error {}

/** The mapping of one token. */
class Mapping {
  private readonly rules: IssuerRules;
  private readonly claims: JsonObject;
  private readonly values: readonly CelValue[];
  private readonly expressions: IssuerExpressions;
  private readonly budget: EvaluationBudget = tokenBudget();
  private readonly turns = new EvaluationTurns();

  constructor(rules: IssuerRules, claims: JsonObject, expressions: IssuerExpressions) {
    this.rules = rules;
    this.claims = claims;
    this.values = claimsValues(claims);
    this.expressions = expressions;
  }

  async user(): Promise<UserInfo | string> {
    try {
      return await this.mapped();
    } catch (error) {
      if (error instanceof Unmapped) return error.message;
      throw error;
    }
  }

  private async mapped(): Promise<UserInfo> {
    const { rules, claims } = this;
    const audiences = new Set(rules.audiences);
    if (!textsClaim(claims, 'aud').some((audience) => audiences.has(audience)))
      throw new Unmapped('meant for another audience');
    for (const rule of rules.claimRules) await this.assertClaim(rule);
    const user: UserInfo = {
      name: await this.username(rules.username),
      uid: rules.uid === undefined ? '' : await this.text(rules.uid, 'uid'),
      groups: rules.groups === undefined ? [] : await this.groups(rules.groups),
      extra: await this.extra(rules.extra),
    };
    await this.assertUser(user);
    return user;
  }

  private async assertClaim(rule: ClaimRule): Promise<void> {
    if (rule.expression === undefined) {
      if (getOwn(this.claims, rule.claim) === rule.value) return;
      throw new Unmapped(`the claim ${rule.claim} is not as required`);
    }
    const value = await this.valueOf(rule.expression, 'claimRule');
    if (value !== true)
      throw new Unmapped(`a rule of claims does not hold: ${rule.message || rule.expression}`);
  }

  /** An address that its issuer has not verified names no user. */
  private async username(mapping: ClaimMapping): Promise<string> {
    const verified = getOwn(this.claims, 'email_verified');
    if (mapping.claim === 'email' && verified !== undefined && verified !== true)
      throw new Unmapped('the address is not verified');
    const name = await this.text(mapping, 'user name');
    if (name === '') throw new Unmapped('the user name is empty');
    return name;
  }

  private async text(mapping: ClaimMapping, what: string): Promise<string> {
    if (mapping.expression !== undefined) {
      const value = await this.valueOf(mapping.expression, 'claimMapping');
      if (typeof value === 'string') return value;
      throw new Unmapped(`the expression of the ${what} gives no text`);
    }
    const value = getOwn(this.claims, mapping.claim);
    if (typeof value !== 'string' || value === '')
      throw new Unmapped(`there is no claim ${mapping.claim} of text`);
    return mapping.prefix + value;
  }

  private async groups(mapping: ClaimMapping): Promise<string[]> {
    if (mapping.expression !== undefined) return [...new Set(await this.texts(mapping.expression, 'groups'))];
    const value = getOwn(this.claims, mapping.claim) ?? null;
    const names = typeof value === 'string' ? [value] : (value ?? []);
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
      throw new Unmapped(`the claim ${mapping.claim} is no text and no list of texts`);
    return [...new Set(names.map((name) => mapping.prefix + name))];
  }

  private async texts(expression: string, what: string): Promise<string[]> {
    const texts = textsOf(await this.valueOf(expression, 'claimMapping'));
    if (texts === undefined)
      throw new Unmapped(`the expression of ${what} gives no text and no list of texts`);
    return texts;
  }

  private async extra(mappings: readonly ExtraMapping[]): Promise<UserInfo['extra']> {
    const extra: Record<string, readonly string[]> = {};
    for (const { key, expression } of mappings) {
      const texts = await this.texts(expression, `the extra ${key}`);
      if (texts.length > 0) extra[key] = texts;
    }
    return extra;
  }

  private async assertUser(user: UserInfo): Promise<void> {
    if (this.rules.userRules.length === 0) return;
    const values = userValues(objectOf(user));
    for (const { expression, message } of this.rules.userRules) {
      const value = await this.valueOf(expression, 'userRule', values);
      if (value !== true) throw new Unmapped(`a rule of users does not hold: ${message || expression}`);
    }
  }

  private async valueOf(
    text: string,
    kind: 'claimMapping' | 'claimRule' | 'userRule',
    values: readonly CelValue[] = this.values,
  ): Promise<CelValue> {
    const result = await this.turns.inTurn(() =>
      this.expressions.valueOf({ text, kind }, values, this.budget),
    );
    if (typeof result === 'string') throw new Unmapped(result);
    return result.value;
  }
}

/** What is empty is absent, as in a review. */
function objectOf({ name, uid, groups, extra }: UserInfo): JsonObject {
  const texts: JsonObject = {};
  for (const [key, values] of Object.entries(extra)) setOwn(texts, key, [...values]);
  return {
    username: name,
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(Object.keys(texts).length > 0 && { extra: texts }),
  };
}
