// What `make check` asks of the JavaScript that browsers get, and of what the tests run in them.

import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import globals from "globals";

const NOT_PATCHED = "No global is patched: pass what is needed, or import it.";

export default defineConfig([
  globalIgnores(["referee/web/page/vendor/", "**/.*/", "build/", "dist/"]),
  {
    files: ["**/*.js"],
    plugins: { js },
    extends: ["js/recommended"],
    languageOptions: { ecmaVersion: 2023, globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "max-len": ["error", { code: 140 }],
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-extend-native": "error",
      "no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "no-restricted-properties": ["error", { property: "innerHTML", message: "No page builds HTML from text." }],
      "no-restricted-syntax": [
        "error",
        { selector: "AssignmentExpression > MemberExpression.left[object.name=/^(globalThis|window|self)$/]", message: NOT_PATCHED },
        { selector: "CallExpression[callee.object.name='Object'][callee.property.name='defineProperty']", message: NOT_PATCHED },
      ],
    },
  },
  { files: ["referee/web/page/emblems.js"], rules: { "max-len": "off" } }, // generated, a drawing a line
  { files: ["referee/web/page/narrow.js"], languageOptions: { sourceType: "script" } },
  { // the emulated Pico, which node runs
    files: ["**/*.mjs"],
    plugins: { js },
    extends: ["js/recommended"],
    languageOptions: { ecmaVersion: 2023, globals: globals.node },
    rules: { "max-len": ["error", { code: 140 }], eqeqeq: "error", "no-var": "error", "prefer-const": "error" },
  },
  // an expression for Playwright, a function without a name
  { files: ["tests/**/*.js", "benchmarks/**/*.js"], languageOptions: { sourceType: "script" }, rules: { "no-unused-expressions": "off" } },
]);
