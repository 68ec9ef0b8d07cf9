/** Lint rules: type-aware and strict; sizes keep files and functions small enough to read. */
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const sizes = {
  'max-lines': ['error', { max: 400 }],
  'max-lines-per-function': ['error', { max: 60 }],
  'max-depth': ['error', 3],
  'max-params': ['error', 4],
  complexity: ['error', 16],
};

const common = {
  ...sizes,
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
};

const nodeGlobals = Object.fromEntries(
  [
    'console',
    'process',
    'setTimeout',
    'clearTimeout',
    'URL',
    'AbortController',
    'AbortSignal',
    'WebSocket',
    'fetch',
  ].map((name) => [name, 'readonly']),
);

export default defineConfig(
  { ignores: ['**/*.types.ts', 'dist/**', '.orch/**', 'node_modules/**', '**/*.js'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['src/**/*.ts', 'test/**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: '../../tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      ...common,
      'no-console': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true }],
    },
  },
  {
    files: ['test/**/*.ts', 'src/cli/**/*.ts', 'src/main.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    // The classes of that client are used as interfaces, as its users do.
    files: ['test/examples/**/*.ts'],
    rules: { '@typescript-eslint/no-unsafe-class-instance-assignment': 'off' },
  },
  {
    // The bootstrap runs before any package is there: plain JavaScript, so without types.
    files: ['deploy/**/*.mjs'],
    extends: [tseslint.configs.strict],
    languageOptions: { globals: nodeGlobals },
    rules: { ...common, 'no-undef': 'error' },
  },
);
