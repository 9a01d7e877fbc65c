/**
 * The part of re2js that the checks of validators.ts use, on the regular expressions of JavaScript: the build puts it in
 * place of re2js, whose tables are as large as the rest of the package. What RE2 can't run in linear time is refused alike,
 * but for patterns that are too complex, alone or together, which the service alone finds.
 */

/** Looking ahead or behind, and references back. Escaped backslashes and classes are left out before. */
const unsupported = /\(\?(?:[=!]|<[=!])|\\(?:[1-9]|k<)/;

const withoutClasses = (pattern: string): string =>
  pattern.replaceAll(/\\\\/g, '').replaceAll(/\[(?:\\.|[^\]\\])*\]/g, '[]');

export const RE2JS = {
  translateRegExp: (pattern: string): string => pattern,
  /** Throws for what RE2 does not support. */
  compile: (pattern: string) => {
    const found = unsupported.exec(withoutClasses(pattern))?.[0];
    if (found !== undefined) throw new SyntaxError(`invalid or unsupported Perl syntax: ${found}`);
    const expression = new RegExp(pattern, 'u');
    return {
      programSize: () => 0,
      re2: () => ({ prog: { inst: [] }, onepass: null }),
      matcher: (text: string) => ({ find: () => expression.test(text) }),
    };
  },
};
