/** What a manifest may say of amounts, and of what people read in forms. */
import { expect } from 'chai';
import { manifestProblems } from '../../../shared/app/manifest/readManifest.ts';
import { amount, moneyManifest as manifest } from '../../support/moneyManifest.ts';

describe('amounts and forms of a manifest', () => {
  it('are refused where they name what is not declared', () => {
    const [order, customer] = manifest.resources;
    const [refund] = manifest.actions;
    const withField = (field: object) => ({ ...order, fields: [...(order?.fields ?? []), field] });
    const withInput = (property: object) => ({ ...refund, input: { type: 'object', properties: { one: property } } });
    const of = (resource: object | undefined, action?: object, inbox?: object): unknown[] =>
      manifestProblems({
        resources: [resource, customer],
        ...(action === undefined ? {} : { actions: [action] }),
        ...(inbox === undefined ? {} : { inboxes: [inbox] }),
      }).map(({ path, message }) => [path, message]);
    expect(manifestProblems(manifest)).to.deep.equal([]);
    expect(of(withField({ name: 'x', type: 'money', currency: { field: 'units' } }))).to.deep.equal([
      ['resources.0.fields.5.currency.field', 'names the field units, which is not declared; did you mean unit?'],
    ]);
    const form = 'must be a code of three capital letters such as EUR, or { field }';
    for (const currency of ['eur', '€', 7, null, {}, { field: 1 }])
      expect(of(withField({ name: 'x', type: 'money', currency })), JSON.stringify(currency)).to.deep.equal([
        ['resources.0.fields.5.currency', form],
      ]);
    expect(of(withField({ name: 'x', type: 'number', currency: 'EUR' }))).to.deep.equal([
      ['resources.0.fields.5.currency', 'is for fields of the type money'],
    ]);
    const at = 'actions.0.input.properties.one';
    const cases: readonly (readonly [object, string, string])[] = [
      [
        { ...amount, currency: { field: 'units' } },
        '.currency.field',
        'names the field units, which is not declared; did you mean unit?',
      ],
      [{ ...amount, currency: 'euro' }, '.currency', form],
      [{ ...amount, type: 'string' }, '.type', 'must be number or integer, as the format is money'],
      [
        { 'x-resource': 'costumer' },
        '.x-resource',
        'names the resource costumer, which is not declared; did you mean customer?',
      ],
      [{ enum: ['a'], 'x-labels': { b: 'B' } }, '.x-labels.b', 'is not one of the values of enum'],
      [{ enum: ['a'], 'x-labels': { a: ' ' } }, '.x-labels.a', 'must be a text'],
      [{ enum: ['a'], 'x-labels': 'A' }, '.x-labels', 'must be an object with a label for each value'],
    ];
    for (const [property, path, message] of cases)
      expect(of(order, withInput(property)), message).to.deep.equal([[`${at}${path}`, message]]);
    const nested = withInput({
      type: 'object',
      properties: { cost: { ...amount, currency: { field: 'iso' } }, iso: {} },
    });
    expect(of(order, nested), 'a sibling').to.deep.equal([]);
    const claims = {
      name: 'claims',
      fields: { type: 'object', properties: { asked: { ...amount, currency: { field: 'unit' } } } },
    };
    expect(of(order, undefined, claims), 'an item has no record for certain').to.have.length(1);
  });
});
