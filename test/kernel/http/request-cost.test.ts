import { expect } from 'chai';
import { compileCost } from '../../../kernel/http/request-cost.ts';

describe('The cost of a request', () => {
  const costOf = compileCost({});

  it('is by default the highest limit that the query or the body names, or the number of items', () => {
    expect(costOf(undefined, undefined)).to.equal(1);
    expect(costOf({ limit: 20 }, undefined)).to.equal(20);
    expect(costOf({ page_size: 200 }, undefined)).to.equal(200);
    expect(costOf({ limit: 20, page_size: 30 }, { limit: 40 })).to.equal(40);
    expect(costOf({}, { page_size: 50 })).to.equal(50);
    expect(costOf({}, [1, 2, 3])).to.equal(3);
    expect(costOf({ limit: '9', page_size: null }, null)).to.equal(1);
  });

  it('is what the route declares', () => {
    expect(compileCost({ cost: 250 })({ limit: 500 }, undefined)).to.equal(250);
    const cost = ({ query }: { readonly query: { readonly depth: number } }) => query.depth * 10;
    expect(compileCost({ cost })({ depth: 2 }, undefined)).to.equal(20);
  });
});
