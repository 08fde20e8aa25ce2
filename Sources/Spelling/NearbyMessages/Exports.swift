// The documents print these names without an import, and an app imports NearbyMessages for the rest.

@_exported public import UIKitNames

@_exported public import struct EarshotMessages.BackgroundFlag
