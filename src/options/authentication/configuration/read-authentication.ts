/**
 * Reads an AuthenticationConfiguration (kube-apiserver: apiserver.config, with its validation). All errors are found, each
 * with its line and the path of its field.
 */
import type {
  AnonymousRules,
  ConfiguredAuthentication,
  IssuerRules,
} from '../../../authn/oidc/issuer-rules.ts';
import type { JsonObject } from '../../../base/json.ts';
import { addDuplicates, addInvalid, addProblem, addRequired, objectAt } from '../../placed-problems.ts';
import { type Placed, type YamlFile } from '../../yaml-file.ts';
import { readClaimMappings } from './read-claim-mappings.ts';
import { readClaimRules, readUserRules } from './read-rules.ts';
import { readIssuer } from './read-issuer.ts';
import type { ExpressionText } from './expression-text.ts';
import type { AuthenticationFileRules, JwtContext } from './file-rules.ts';

/** What could be read, and the expressions, which are still to be compiled. */
export interface ReadAuthentication {
  readonly configured: ConfiguredAuthentication;
  readonly expressions: readonly ExpressionText[];
}

const mostIssuers = 64;
/** Since release 1.30 there may be several issuers, each with several audiences. */
const severalSince = 30;

/** The version that the configuration has in a release, and the releases since which there are others. */
const versions: readonly (readonly [version: string, since: number])[] = [
  ['v1', 34],
  ['v1beta1', 30],
  ['v1alpha1', 29],
];

/** Errors are added to those of the file. */
export function readAuthenticationRules(file: YamlFile, rules: AuthenticationFileRules): ReadAuthentication {
  const {
    naming: { apiDomain },
    minor,
  } = rules;
  const known = versions
    .filter(([, since]) => since <= minor)
    .map(([version]) => `apiserver.config.${apiDomain}/${version}`);
  const kind = 'AuthenticationConfiguration';
  const root = file.typed(file.root, { kind, versions: known }, ['jwt', 'anonymous']);
  if (!root) return { configured: { issuers: [], anonymous: undefined, minor }, expressions: [] };
  const expressions: ExpressionText[] = [];
  const jwts = file.objects(root, 'jwt');
  const most = minor < severalSince ? 1 : mostIssuers;
  if (jwts.length > most)
    addProblem(
      file,
      root,
      'jwt',
      `Too many: ${String(jwts.length)}: must have at most ${String(most)} items`,
    );
  const issuers = jwts.map((jwt) => readJwt(file, jwt, { rules, expressions }));
  const issuerOf = (index: number): readonly [Placed<unknown>, string] => [
    { value: undefined, path: `jwt[${String(index)}].issuer` },
    'url',
  ];
  addDuplicates(
    file,
    issuers.map(({ issuer }) => issuer),
    issuerOf,
  );
  addDuplicates(
    file,
    issuers.map(({ discoveryUrl }) => discoveryUrl),
    (index) => [issuerOf(index)[0], 'discoveryURL'],
  );
  return { configured: { issuers, anonymous: readAnonymous(file, root, rules), minor }, expressions };
}

function readJwt(file: YamlFile, jwt: Placed<JsonObject>, context: JwtContext): IssuerRules {
  file.known(jwt, ['issuer', 'claimMappings', 'claimValidationRules', 'userValidationRules']);
  const issuer = readIssuer(file, jwt, context.rules);
  const claimRules = readClaimRules(file, jwt, context.expressions);
  const mappings = readClaimMappings(file, jwt, context);
  const userRules = readUserRules(file, jwt, context.expressions);
  return { ...issuer, ...mappings, claimRules, userRules };
}

function readAnonymous(
  file: YamlFile,
  root: Placed<JsonObject>,
  { hasAnonymous, isAnonymousFlagGiven }: AuthenticationFileRules,
): AnonymousRules | undefined {
  const anonymous = objectAt(file, root, 'anonymous');
  if (!anonymous) return undefined;
  if (!hasAnonymous) {
    const detail = 'Forbidden: it needs the feature gate AnonymousAuthConfigurableEndpoints';
    addProblem(file, root, 'anonymous', detail);
    return undefined;
  }
  if (isAnonymousFlagGiven)
    addProblem(file, root, 'anonymous', 'Forbidden: it may not be given together with --anonymous-auth');
  file.known(anonymous, ['enabled', 'conditions']);
  const isEnabled = file.boolean(anonymous, 'enabled', false);
  const conditions = file.objects(anonymous, 'conditions');
  if (!isEnabled && conditions.length > 0)
    addInvalid(file, anonymous, 'conditions', {
      value: conditions.map(({ value }) => value),
      detail: 'enabled should be set to true when conditions are defined',
    });
  const paths = conditions.map((condition) => {
    file.known(condition, ['path']);
    const path = file.text(condition, 'path');
    if (path === '') addRequired(file, condition, 'path');
    else if (!path.startsWith('/'))
      addInvalid(file, condition, 'path', { value: path, detail: 'must begin with a slash' });
    return path;
  });
  return { isEnabled, paths };
}
