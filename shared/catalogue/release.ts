/** The release of this build, as package.json has it; follows semver: changes only add. Used by the API's documents, the tools' server and the link of apps. */
export const apiVersion = '1.1.0';
