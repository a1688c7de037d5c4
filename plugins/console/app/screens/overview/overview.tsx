export const Overview = () => <h1>Overview</h1>;
