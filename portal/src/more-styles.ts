import moreStylesAddress from './more-styles.css?url'

let moreStyles: Promise<void> | undefined

/** With the styles of the components that the start pages do not have. */
export async function withMoreStyles<Loaded>(loading: Promise<Loaded>): Promise<Loaded> {
  moreStyles ??= new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: moreStylesAddress })
    link.onload = () => resolve()
    link.onerror = () => {
      // Tried again with the next page.
      moreStyles = undefined
      link.remove()
      reject(new Error('A stylesheet could not be loaded.'))
    }
    document.head.append(link)
  })
  const [loaded] = await Promise.all([loading, moreStyles])
  return loaded
}
