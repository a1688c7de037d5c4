import { expect } from 'chai';
import { loadNodeConfig } from '../../config/node-config.ts';

describe('a plugin setting that names an alternative, such as search: "postgres"', () => {
  it('loads the alternative in place of the plugin', async () => {
    const choice = async (plugins: object) => {
      const {
        plugins: on,
        disabled,
        problems,
      } = await loadNodeConfig({ env: {}, overrides: { plugins: { ...plugins } } });
      const names = on.map(({ name }) => name);
      return { problems, on: names.filter((name) => name.startsWith('search')), isOff: disabled.includes('search') };
    };
    const chosen = { problems: [], on: ['search-postgres'], isOff: true };
    expect(await choice({ search: 'postgres' })).to.deep.equal(chosen);
    expect(await choice({ search: 'postgres', 'search-postgres': { backlogPerSecond: 5 } })).to.deep.equal(chosen);
    expect(await choice({})).to.deep.equal({ problems: [], on: ['search'], isOff: false });
  });

  it('is refused with the accepted values and the most similar one', async () => {
    const refusalOf = async (plugins: object) =>
      (await loadNodeConfig({ env: {}, overrides: { plugins: { ...plugins } } })).problems;
    const message = 'plugins.search accepts true, false, "postgres", or a JSON object of settings';
    expect(await refusalOf({ search: 'nonsense' })).to.deep.equal([{ message }]);
    expect(await refusalOf({ search: 'postgers' })).to.deep.equal([{ message, hint: 'did you mean "postgres"?' }]);
    expect(await refusalOf({ serach: 'postgres' })).to.deep.equal([
      { message: 'there is no plugin named "serach"', hint: 'did you mean search?' },
    ]);
    expect(await refusalOf({ 'search-postgers': true })).to.deep.equal([
      { message: 'there is no plugin named "search-postgers"', hint: 'did you mean search-postgres?' },
    ]);
  });
});
