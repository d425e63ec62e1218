/** The version of the kit, which is that of the service it comes with. */
export const version = '1.0.0'
