/**
 * One module out of the thousand that the thread of control planes for tests loads, with the packages that it needs at once:
 * it starts in half of the time. Names stay as they are and lines are short, so that stack traces can be read; blanks go, as all
 * of the text stays in memory. Run by the pinned Node, with the folder of the build.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';

const output = resolve(process.argv[2]);
const program = join(output, 'testing/host/answer-messages.js');
const folder = dirname(program);

/** Packages that no start needs, with what is used of them. */
const later = {
  // Express's parsers of bodies have the tables of all character sets; the service has its own.
  'body-parser': { functions: ['json', 'raw', 'text', 'urlencoded'], ofExpress: true },
  'mime-types': { functions: ['charset', 'contentType', 'extension', 'lookup'], ofExpress: true },
  re2js: { members: ['RE2JS'] },
  // Only files of configuration, manifests and answers in YAML need it.
  'js-yaml': {
    members: ['load', 'dump', 'parseEvents', 'getScalarValue', 'defineScalarTag', 'YAMLException'].concat([
      'EVENT_ID',
      'SCALAR_STYLE',
      'DUMP_SCHEMA',
      'NOT_RESOLVED',
      'intCoreTag',
      'intYaml11Tag',
    ]),
  },
};
const packagesLater = new RegExp(`^(${Object.keys(later).join('|')})$`);

/** As `engines` of the package says. */
const oldestNode = '20.15.0';

const { metafile, outputFiles } = await build({
  entryPoints: [program],
  outfile: join(folder, 'thread.cjs'),
  bundle: true,
  // Large, and of use only where traces are configured.
  external: [
    '@opentelemetry/exporter-*',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-*',
    '@grpc/grpc-js',
  ],
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  // All of them are in the notices.
  legalComments: 'none',
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 120,
  write: false,
  metafile: true,
  // As `src/base/kept-script.ts` takes it.
  banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
  footer: { js: '})' },
  plugins: [
    { name: 'built-in', setup: requireBuiltIn },
    { name: 'later', setup: loadLater },
    { name: 'conditions', setup: decideConditions },
    { name: 'places', setup: keepPlaces },
  ],
});
for (const { path, text } of outputFiles) writeFileSync(path, inAscii(withSharedNamespaces(text)));
writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesOf(Object.keys(metafile.inputs)));

/**
 * An import of a module of Node reads all that it exports: `node:http` then loads what it has for browsers' names, which
 * takes 30 ms and 4 MB. To require it reads only what is used.
 */
function requireBuiltIn({ onResolve, onLoad }) {
  const namespace = 'built-in';
  onResolve({ filter: /^node:/ }, ({ path, kind }) =>
    kind === 'import-statement' ? { path, namespace } : { path, external: true },
  );
  onLoad({ filter: /^/, namespace }, ({ path }) => ({
    contents: `module.exports = require(${JSON.stringify(path)});`,
    loader: 'js',
  }));
}

/**
 * A module of CommonJS has one namespace, which all modules that import it share. esbuild makes one for each of them, with a
 * function for every export: of what is imported everywhere, 10,000 functions.
 */
function withSharedNamespaces(text) {
  const made = 'var __toESM=';
  if (!text.includes('__toESM')) return text;
  if (text.split(made).length !== 2)
    throw new Error(`${made} is not once in the bundle: esbuild has changed`);
  const shared =
    'var __namespaces=[new Map,new Map];var __toESM=(mod,isNodeMode)=>{const made=__namespaces[isNodeMode?1:0];' +
    'if(!made.has(mod))made.set(mod,__newNamespace(mod,isNodeMode));return made.get(mod)};';
  return text.replace(made, `${shared}var __newNamespace=`);
}

/** With one other character, V8 keeps two bytes of memory for every character of a file. Only comments and patterns have them. */
function inAscii(text) {
  return text.replaceAll(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A package is loaded when something of it is first used, and not by every module that may come to use it. */
function loadLater({ onResolve, onLoad }) {
  const namespace = 'later';
  onResolve({ filter: packagesLater }, ({ path }) => ({ path, namespace }));
  onLoad({ filter: /^/, namespace }, ({ path }) => ({
    contents: facadeOf(path, later[path]),
    loader: 'js',
  }));
}

/** @param ofExpress only Express depends on it */
function facadeOf(path, { functions = [], members = [], ofExpress = false }) {
  const own = ofExpress ? "createRequire(own.resolve('express'))" : 'own';
  return [
    "const { createRequire } = require('node:module');",
    'const own = createRequire(__filename);',
    'let loaded;',
    `const load = () => (loaded ??= ${own}('${path}'));`,
    ...functions.map((name) => `exports.${name} = (...args) => load().${name}(...args);`),
    ...members.map(
      (name) => `Object.defineProperty(exports, '${name}', { enumerable: true, get: () => load().${name} });`,
    ),
  ].join('\n');
}

/** jsonwebtoken asks with a package of its own whether Node has what every Node has that runs this. */
function decideConditions({ onLoad }) {
  onLoad({ filter: /jsonwebtoken.lib.\w+Supported\.js$/ }, ({ path }) => {
    const range = /satisfies\(process\.version, '([^']+)'\)/.exec(readFileSync(path, 'utf8'))?.[1];
    const { satisfies } = createRequire(path)('semver');
    if (!satisfies(oldestNode, range)) throw new Error(`${path}: not every Node satisfies ${range}`);
    return { contents: 'module.exports = true;', loader: 'js' };
  });
}

/** Modules find files by where they are, and not by where the bundle is. */
function keepPlaces({ onLoad }) {
  onLoad({ filter: /\.js$/ }, ({ path }) => {
    if (!path.startsWith(output + sep)) return undefined;
    const place = JSON.stringify(`/${relative(folder, dirname(path)).replaceAll(sep, '/')}`);
    const contents = readFileSync(path, 'utf8')
      .replaceAll('import.meta.dirname', `(__dirname + ${place})`)
      .replaceAll('import.meta.url', '__filename')
      .replaceAll('import.meta.filename', JSON.stringify(basename(path)));
    return { contents, loader: 'js' };
  });
}

/** The licences of the packages in the bundle, which their copies have to come with. */
function noticesOf(inputs) {
  const folders = new Set(
    inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []),
  );
  return [...folders].sort().map(noticeOf).join('\n');
}

function noticeOf(packageFolder) {
  const { name, version, license } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const file = readdirSync(packageFolder).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? '' : readFileSync(join(packageFolder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}
